"""The examples of the documentation run, and print what the pages say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {
    "python": "",
    "anthropic-memory": "anthropic",
    "langchain": "langchain",
    "langgraph": "langgraph",
    "llama-index": "llama-index",
    "openai-agents": "openai-agents",
    "pydantic-ai": "pydantic-ai",
}
EXTRAS = os.environ.get("KITH_TEST_EXTRAS", " ".join(PAGES.values())).split()


def example(page: str) -> tuple[str, str]:
    """Returns the example of a page and what it prints."""
    blocks = re.findall(r"```(python|text)\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL)
    assert [kind for kind, _ in blocks] == ["python", "text"]
    return blocks[0][1], blocks[1][1]


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_short_and_its_example_is_python(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text()
    assert text.count("\n") <= 60 and max(map(len, text.splitlines())) <= 150
    compile(example(page)[0], page, "exec")
    extra = PAGES[page]
    assert f"pip install 'kith-client[{extra}]'" in text if extra else "pip install kith-client\n" in text


@pytest.mark.parametrize("page", [page for page, extra in PAGES.items() if not extra or extra in EXTRAS])
def test_the_example_runs(page: str) -> None:
    code, prints = example(page)
    source = Path(__file__).parents[1] / "src"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    said = "".join(".*?" if part == "…" else re.escape(part) for part in re.split("(…)", prints))
    assert re.fullmatch(said, ran.stdout, re.DOTALL), ran.stdout

"""Files of a model below /memories, each an item: its folders are the namespace, and its text is the value.

Folders are not stored: they are there as long as there is a file below them. The texts are those that models know from
Anthropic's memory tool.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from . import api, items, steps
from .error import KithConflict
from .request import Steps

ROOT = "memories"
MAX_LINES = 999_999
WIDTH = 6  # of line numbers
DEPTH = 2  # of a listing
TRIES = 5  # of a change, when others change the same file
FOLDER_SIZE = 4096  # as most file systems show

Parts = tuple[str, ...]


class FileError(Exception):
    """What the model did wrong, in words for it."""


def view(user: str | None, path: str, lines: Sequence[int] | None) -> Steps[str]:
    """Returns the lines of a file, or what is in a folder."""
    parts = _parts(path)
    file = yield from _file(user, parts)
    if file is not None:
        return _numbered(path, _text(file), lines)
    shown: dict[Parts, int] = {}
    found, cursor = yield from items.page(user, (ROOT, *parts))
    if not found and parts:
        raise FileError(f"The path {path} does not exist. Please provide a valid path.")
    _note_sizes(shown, parts, found)
    while cursor is not None:
        found, cursor = yield from items.page(user, (ROOT, *parts), cursor)
        _note_sizes(shown, parts, found)
    return _listing(path, shown)


def create(user: str | None, path: str, text: str) -> Steps[str]:
    """Makes a file."""
    parts = _parts(path)
    yield from _need_folders(user, path, parts)
    if not parts or (yield from _is_folder(user, parts)):
        raise FileError(f"File {path} already exists")
    try:
        yield from items.write(user, [{**_item(parts, text), "if_version": 0}])
    except KithConflict:
        raise FileError(f"File {path} already exists") from None
    return f"File created successfully at: {path}"


def str_replace(user: str | None, path: str, old: str, new: str) -> Steps[str]:
    """Replaces a text that occurs once in a file."""
    before, after = yield from _change(user, path, lambda text: _replaced(path, text, old, new))
    at = before[: before.find(old)].count("\n")
    shown = after.split("\n")
    first, last = max(0, at - 2), min(len(shown), at + 3)
    snippet = "\n".join(_line(number + 1, shown[number]) for number in range(first, last))
    return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"


def insert(user: str | None, path: str, line: int, text: str) -> Steps[str]:
    """Inserts lines after a line; 0: before the first."""
    yield from _change(user, path, lambda before: _inserted(before, line, text))
    return f"The file {path} has been edited."


def delete(user: str | None, path: str) -> Steps[str]:
    """Deletes a file, or a folder with all in it."""
    parts = _parts(path)
    if not parts:
        raise FileError(f"Cannot delete the /{ROOT} directory itself")
    file = yield from _file(user, parts)
    gone = [file] if file is not None else (yield from _inside(user, parts))
    if not gone:
        raise FileError(f"The path {path} does not exist")
    own = yield from items.deletable(user, gone)
    if len(own) < len(gone):
        raise FileError(f"Cannot delete {path}: {'it' if file is not None else 'a file in it'} belongs to the team")
    yield from _delete(user, own)
    return f"Successfully deleted {path}"


def rename(user: str | None, old_path: str, new_path: str) -> Steps[str]:
    """Moves a file, or a folder with all in it; the history goes with it."""
    old, new = _parts(old_path), _parts(new_path)
    if not old:
        raise FileError(f"Cannot rename the /{ROOT} directory itself")
    if not new or (yield from _file(user, new)) is not None or (yield from _is_folder(user, new)):
        raise FileError(f"The destination {new_path} already exists")
    file = yield from _file(user, old)
    moved = [file] if file is not None else (yield from _inside(user, old))
    if not moved:
        raise FileError(f"The path {old_path} does not exist")
    if new[: len(old)] == old:
        raise FileError(f"Cannot move {old_path} into itself")
    yield from _need_folders(user, new_path, new)
    yield from items.write(user, [_moved(one, old, new) for one in moved])
    return f"Successfully renamed {old_path} to {new_path}"


def clear(user: str | None) -> Steps[str]:
    """Deletes all files, without those of the team if they are a user's."""
    yield from _delete(user, (yield from items.deletable(user, (yield from _inside(user, ())))))
    return "All memory cleared"


def _parts(path: str) -> Parts:
    """Returns the names of a path below the root."""
    if path != f"/{ROOT}" and not path.startswith(f"/{ROOT}/"):
        raise FileError(f"Path must start with /{ROOT}, got: {path}")
    plain = posixpath.normpath(path).lstrip("/").split("/")
    if plain[0] != ROOT or "\0" in path:
        raise FileError(f"Path {path} would escape /{ROOT} directory")
    return tuple(plain[1:])


def _file(user: str | None, parts: Parts) -> Steps[api.NodeView | None]:
    if not parts:
        return None
    return (yield from items.find(user, (ROOT, *parts[:-1]), parts[-1]))


def _inside(user: str | None, parts: Parts) -> Steps[list[api.NodeView]]:
    return (yield from items.below(user, (ROOT, *parts)))


def _is_folder(user: str | None, parts: Parts) -> Steps[bool]:
    found, _ = yield from items.page(user, (ROOT, *parts), limit=1)
    return bool(found)


def _need_folders(user: str | None, path: str, parts: Parts) -> Steps[None]:
    """Refuses a path below a file."""
    for depth in range(1, len(parts)):
        if (yield from _file(user, parts[:depth])) is not None:
            raise FileError(f"Cannot make {path}: /{'/'.join((ROOT, *parts[:depth]))} is not a directory")


def _change(user: str | None, path: str, edit: Callable[[str], str]) -> Steps[tuple[str, str]]:
    """Changes a file as it is stored at that moment; returns its text before and after."""
    parts = _parts(path)
    for last in range(TRIES, 0, -1):
        file = yield from _file(user, parts)
        if file is None:
            yield from _refuse_missing(user, path, parts)
        else:
            before = _text(file)
            after = edit(before)
            try:
                yield from items.write(user, [_rewritten(file, parts, after)])
                return before, after
            except KithConflict:
                if last == 1:
                    raise
    raise AssertionError("unreachable")


def _refuse_missing(user: str | None, path: str, parts: Parts) -> Steps[None]:
    if not parts or (yield from _is_folder(user, parts)):
        raise FileError(f"The path {path} is not a file.")
    raise FileError(f"The path {path} does not exist. Please provide a valid path.")


def _delete(user: str | None, files: Sequence[api.NodeView]) -> Steps[None]:
    for file in files:
        yield from steps.delete("item", file["entity_key"], user)


def _item(parts: Parts, text: str) -> api.NodeWrite:
    return {"kind": "item", "namespace": [ROOT, *parts[:-1]], "name": parts[-1], "value": {"text": text}}


def _moved(file: api.NodeView, old: Parts, new: Parts) -> api.NodeWrite:
    return _rewritten(file, (*new, *_place(file)[len(old) :]), _text(file))


def _rewritten(file: api.NodeView, parts: Parts, text: str) -> api.NodeWrite:
    """A file of the team stays one, whoever writes it."""
    return {**_item(parts, text), "entity_key": file["entity_key"], "user_id": file["user_id"], "if_version": file["version"]}


def _place(file: api.NodeView) -> Parts:
    return (*(file["namespace"] or [])[1:], file["name"] or "")


def _text(file: api.NodeView) -> str:
    return str((file["value"] or {}).get("text", ""))


def _replaced(path: str, text: str, old: str, new: str) -> str:
    count = text.count(old)
    if count == 0:
        raise FileError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if count > 1:
        places, at = list[str](), text.find(old)
        while at >= 0:
            places.append(str(text.count("\n", 0, at) + 1))
            at = text.find(old, at + 1)
        raise FileError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(places)}. Please ensure it is unique"
        )
    return text.replace(old, new)


def _inserted(before: str, line: int, text: str) -> str:
    lines = before.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise FileError(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
    lines.insert(line, text.rstrip("\n"))
    after = "\n".join(lines)
    return after if after.endswith("\n") else after + "\n"


def _numbered(path: str, text: str, wanted: Sequence[int] | None) -> str:
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise FileError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    start, end = 0, len(lines)
    if wanted and len(wanted) == 2:
        start = max(1, wanted[0]) - 1
        end = len(lines) if wanted[1] == -1 else wanted[1]
    shown = [_line(start + i + 1, line) for i, line in enumerate(lines[start:end])]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(shown)


def _line(number: int, text: str) -> str:
    return f"{number:>{WIDTH}}\t{text}"


def _note_sizes(shown: dict[Parts, int], parts: Parts, files: Sequence[api.NodeView]) -> None:
    """Notes files and folders up to two levels deep, without hidden ones."""
    for file in files:
        place = _place(file)[len(parts) :]
        for depth in range(1, min(DEPTH, len(place)) + 1):
            if any(name.startswith(".") for name in place[:depth]):
                break
            is_file = depth == len(place)
            shown.setdefault(place[:depth] if is_file else (*place[:depth], ""), len(_text(file).encode()) if is_file else FOLDER_SIZE)


def _listing(path: str, shown: dict[Parts, int]) -> str:
    lines = [f"{_size(FOLDER_SIZE)}\t{path}"]
    lines += [f"{_size(shown[place])}\t{path}/{'/'.join(place)}" for place in sorted(shown, key=lambda place: [name for name in place if name])]
    return f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n" + "\n".join(lines)


def _size(bytes: int) -> str:
    size, unit = float(bytes), 0
    while size >= 1024 and unit < 3:
        size, unit = size / 1024, unit + 1
    return f"{int(size)}{'BKMG'[unit]}" if size == int(size) else f"{size:.1f}{'BKMG'[unit]}"

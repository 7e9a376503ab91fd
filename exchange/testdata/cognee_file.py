# Writes the JSON document that Cognee exports: its own data points, in its own graph database, through its own emitter.
import asyncio
import logging
import os
import sys
import tempfile
from pathlib import Path
from uuid import UUID

folder = tempfile.mkdtemp()
os.environ.update(SYSTEM_ROOT_DIRECTORY=folder, DATA_ROOT_DIRECTORY=folder, COGNEE_LOGS_DIR=folder, TELEMETRY_DISABLED="1", LOG_LEVEL="ERROR")
logging.disable(logging.CRITICAL)

from cognee.infrastructure.databases.graph import get_graph_engine  # noqa: E402
from cognee.modules.chunking.models import DocumentChunk  # noqa: E402
from cognee.modules.data.processing.document_types import TextDocument  # noqa: E402
from cognee.modules.engine.models import Entity, EntityType, NodeSet  # noqa: E402
from cognee.modules.graph.utils import get_graph_from_model  # noqa: E402
from cognee.modules.migration.formats import write_json  # noqa: E402
from cognee.tasks.summarization.models import TextSummary  # noqa: E402


def uid(n):
    return UUID(f"44444444-0000-4000-8000-{n:012d}")


def made(cls, n, **values):
    return cls(id=uid(n), created_at=1767427200000 + n, updated_at=1767427200000 + n, **values)


async def main():
    person = made(EntityType, 1, name="person", description="A person")
    place = made(EntityType, 2, name="location", description="A place")
    sarah = made(Entity, 3, name="sarah", is_a=person, description="Ada's sister")
    hvar = made(Entity, 4, name="hvar", is_a=place, description="An island")
    family = made(NodeSet, 5, name="family")
    document = made(TextDocument, 6, name="letter", raw_data_location="letter.txt", external_metadata="", mime_type="text/plain")
    chunk = made(DocumentChunk, 7, text="Sarah moves to Hvar.", chunk_size=5, chunk_index=0, cut_type="paragraph_end", is_part_of=document,
                 contains=[sarah, hvar], belongs_to_set=[family])
    summary = made(TextSummary, 8, text="A move.", made_from=chunk)
    graph = await get_graph_engine()
    added, properties, visited = {}, {}, {}
    for point in (summary,):
        nodes, edges = await get_graph_from_model(point, added_nodes=added, added_edges=properties, visited_properties=visited)
        await graph.add_nodes(nodes)
        await graph.add_edges(edges)
    await graph.add_edge(str(uid(3)), str(uid(4)), "moves_to", {"edge_text": "Sarah moves to Hvar.", "valid_at": 1767427200000})
    nodes, edges = await graph.get_graph_data()
    write_json(sorted(nodes, key=lambda n: str(n[0])), sorted(edges, key=lambda e: (str(e[0]), str(e[1]), e[2])), Path(sys.argv[1]))


asyncio.run(main())

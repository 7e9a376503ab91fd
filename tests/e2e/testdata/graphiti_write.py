# Writes a small graph with Graphiti's own classes into its Neo4j, without a language model.
import asyncio
import os
import sys
from datetime import datetime, timezone

from graphiti_core.driver.neo4j_driver import Neo4jDriver
from graphiti_core.edges import CommunityEdge, EntityEdge, EpisodicEdge
from graphiti_core.nodes import CommunityNode, EntityNode, EpisodeType, EpisodicNode

group = sys.argv[1]


def uid(n):
    return f"{group}-{n:04d}"


def at(year):
    return datetime(year, 1, 3, 8, tzinfo=timezone.utc)


async def main():
    driver = Neo4jDriver(os.environ["NEO4J_URI"], os.environ["NEO4J_USER"], os.environ["NEO4J_PASSWORD"])
    common = {"group_id": group, "created_at": at(2026)}
    nodes = [
        EntityNode(uuid=uid(1), name="Ada Quay", labels=["Person"], summary="Keeps the tide tables.", name_embedding=[0.1] * 8, **common),
        EntityNode(uuid=uid(2), name="Sarah", labels=["Person"], summary="Ada's sister", attributes={"relation": "sister", "born": at(1960)},
                   name_embedding=[0.2] * 8, **common),
        EpisodicNode(uuid=uid(3), name="call", source=EpisodeType.message, source_description="phone", content="Ada: Sarah moves to Hvar.",
                     valid_at=at(1969), entity_edges=[uid(1001)], **common),
        CommunityNode(uuid=uid(4), name="family", summary="x", name_embedding=[0.3] * 8, **common),
    ]
    # More than a page of what Kith reads at a time.
    nodes += [EntityNode(uuid=uid(5000 + n), name=f"Pier {n}", labels=[], name_embedding=[0.4] * 8, **common) for n in range(510)]
    edges = [
        EntityEdge(uuid=uid(1001), source_node_uuid=uid(1), target_node_uuid=uid(2), name="HAS_RELATIONSHIP_WITH", fact="Sarah is Ada's sister.",
                   fact_embedding=[0.1] * 8, episodes=[uid(3)], valid_at=at(1969), attributes={"sure": True}, **common),
        EntityEdge(uuid=uid(1002), source_node_uuid=uid(2), target_node_uuid=uid(5000), name="WORKS_AT", fact="Sarah worked at pier 0.",
                   fact_embedding=[0.1] * 8, valid_at=at(2020), invalid_at=at(2021), expired_at=at(2022), **common),
        EpisodicEdge(uuid=uid(1003), source_node_uuid=uid(3), target_node_uuid=uid(2), **common),
        CommunityEdge(uuid=uid(1004), source_node_uuid=uid(4), target_node_uuid=uid(2), **common),
    ]
    for item in nodes + edges:
        await item.save(driver)
    await driver.close()


asyncio.run(main())

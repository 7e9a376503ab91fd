// Calls Kith with the types that are generated from its contract: node generated.js URL KEY. What is not as the types say does not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

const [baseUrl, key] = process.argv.slice(2) as [string, string];
const kith = createClient<paths, `application/${string}`>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const user_id = "ada";

function given<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const write: components["schemas"]["MemoryWrite"] = {
  user_id,
  nodes: [
    { kind: "person", entity_key: "ada", name: "Ada", is_owner: true },
    { kind: "person", entity_key: "grace", name: "Grace", state: "active", description: null },
  ],
  relationships: [{ from: "ada", to: "grace", type: "has_relationship_with", description: "Her oldest friend" }],
};
const nobody = given(await kith.GET("/v1/context", { params: { query: { user_id } } }));
const written = given(await kith.POST("/v1/memory", { body: write }));
const context = given(await kith.GET("/v1/context", { params: { query: { user_id, sections: ["user", "relationships"] } } }));
const found = given(await kith.POST("/v1/explore", { body: { user_id, text_matches: ["Grace"] } }));
const tree = given(await kith.POST("/v1/trees", { body: { user_id, context: { project_id: null, user_id } } }));
const refused = await kith.GET("/v1/context", { params: { query: { user_id, time_zone: "Atlantis" } } });
const missing = await kith.GET("/v1/nodes/{kind}/{key}", { params: { path: { kind: "person", key: "nobody" } } });

console.log([
  nobody.user?.owner_person_node?.name ?? "nobody",
  written.nodes.map((node) => node.status).join(),
  context.user?.owner_person_node?.name,
  context.relationships?.[0]?.relationship_description,
  found.semantic?.people?.[0]?.name,
  tree.turn_count,
  refused.error?.errors?.[0]?.location,
  missing.error?.status,
].join("; "));

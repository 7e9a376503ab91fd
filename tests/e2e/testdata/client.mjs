// Talks to Kith as the reference client does: node client.mjs ENDPOINT KEY PROGRAM. What does not fit a schema throws.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [endpoint, key, program] = process.argv.slice(2);

async function converse(name, transport) {
  const client = new Client({ name: "reference", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools(); // from here on answers are checked against the tools' schemas
  const call = async (tool, args, user = { user_id: "me" }) => {
    const result = await client.callTool({ name: tool, arguments: { ...user, ...args } });
    if (result.isError) throw new Error(tool + ": " + result.content[0].text);
    return result;
  };
  const empty = await call("get_context", {});
  if (empty.content[0].text.includes("Ada")) throw new Error("somebody is there");
  const stored = await call("remember", {
    nodes: [{ kind: "person", name: "Ada", is_owner: true }, { kind: "person", name: "Grace", state: "active" },
      { kind: "project", name: "Mill", entity_key: "mill" }, { kind: "goal", name: "Flour", entity_key: "flour", project_id: "mill" }],
    relationships: [{ from: "Ada", to: "Grace", type: "has_relationship_with", description: "Her oldest friend" }],
  });
  const grace = stored.structuredContent.nodes[1].entity_key;
  const context = await call("get_context", {});
  await call("explore", { text_matches: ["Grace"], queries: [{ query: "an old friend" }], expand: 3, granularity: 2 });
  await call("explore", { text_matches: ["friend"], kinds: ["message"] });
  await call("traverse", { mode: "neighbors", entity_key: grace, direction: "both" });
  await call("traverse", { mode: "path", from: stored.structuredContent.nodes[0].entity_key, to: grace });
  await call("traverse", { mode: "ppr", seed_nodes: [grace] });
  await call("traverse", { mode: "cypher", cypher: "MATCH (n:Person) RETURN n.name AS name" });
  await call("get_ontology", {});
  await call("get_ontology", { project_id: "mill" });
  await call("get_ontology", { project_id: "mill", focus_kind: "goal", focus_id: "flour" });
  await call("get_linked_entities", { entity_kind: "goal", entity_id: "flour" });
  await call("get_entity_relationships", { entity_kind: "person", entity_id: grace });
  await call("get_node", { entity_key: "Grace" });
  await call("list_nodes", { kind: "goal", project_id: "mill" });
  await call("set_preference", { key: "tone", value: "dry" });
  await call("add_conversation", { summary: "A talk", messages: [{ role: "user", text: "Hello" }], mentions: [grace] });
  await call("get_context", { focus_kind: "person", focus_id: grace });
  await call("forget", { entity_keys: [grace] });
  await call("merge_system", { system: "shop", entities: [{ name: "api", type: "service" }] }, {});
  await call("get_system", { system: "shop" }, {});
  await client.readResource({ uri: "kith://schema" });
  await client.getPrompt({ name: "session_start", arguments: { user_id: "me" } });
  await client.close();
  console.log(`${name}: ${tools.length} tools, ${context.content[0].text.match(/Her oldest friend/)}`);
}

await converse("http", new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: { Authorization: "Bearer " + key } } }));
await converse("stdio", new StdioClientTransport({ command: program, env: process.env, stderr: "inherit" }));

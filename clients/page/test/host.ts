// A client of MCP that shows apps: it calls get_context of the Kith at its own address, and shows the app of the tool in a frame.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const { key, user } = Object.fromEntries(new URLSearchParams(location.hash.slice(1))) as { key: string; user: string };

// What the specification has a host allow an app that asks for nothing.
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

const client = new Client({ name: "host", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }));
const { tools } = await client.listTools();
const tool = tools.find((t) => t.name === "get_context")!;
const uri = (tool._meta as { ui: { resourceUri: string } }).ui.resourceUri;
const [app] = (await client.readResource({ uri })).contents as { mimeType: string; text: string }[];
if (app.mimeType !== "text/html;profile=mcp-app") throw new Error(app.mimeType);

const frame = document.createElement("iframe");
frame.sandbox.add("allow-scripts");
frame.style.cssText = "width: 100%; height: 800px";
document.body.append(frame);
const bridge = new AppBridge(client, { name: "host", version: "1" }, { serverTools: {} });
const called = { name: tool.name, arguments: { user_id: user } };
bridge.addEventListener("initialized", async () => {
  await bridge.sendToolInput({ arguments: called.arguments });
  await bridge.sendToolResult((await client.callTool(called)) as never);
});
await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
frame.srcdoc = app.text.replace("<meta charset", `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta charset`);

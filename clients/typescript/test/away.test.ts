import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { Kith } from "@kith/client";
import { kithMiddleware, kithTools } from "@kith/client/ai-sdk";
import { scriptedModel, textsOf } from "./model.js";
import { breaks, says, scripted, type Step } from "./server.js";

const key = "kith_secret";
const ways: Record<string, Step> = {
  "is silent": () => undefined,
  "is busy": says(503, "{}", { "Retry-After": "5" }),
  "breaks connections": (response) => response.destroy(),
  "refuses the key": says(401, '{"type":"about:blank","title":"Unauthorized","status":401,"detail":"unknown key"}'),
};

for (const [how, step] of Object.entries(ways)) {
  test(`the model answers without memory, and says so in the log, when Kith ${how}`, async (t) => {
    const { url } = await scripted(t, step);
    const memory = new Kith({ url, key });
    const warnings: string[] = [];
    const warn = (text: string) => warnings.push(text);
    const mock = scriptedModel({ says: "Hello." });
    const model = wrapLanguageModel({ model: mock, middleware: kithMiddleware(memory, { user: "ada", conversation: "c", timeout: 150, warn }) });
    const start = performance.now();
    assert.equal((await generateText({ model, prompt: "Hello" })).text, "Hello.");
    assert.equal(await streamText({ model, prompt: "Hello" }).text, "Hello.");
    assert.ok(performance.now() - start < 15_000, "the agent waited");
    assert.deepEqual(textsOf(mock.doGenerateCalls[0]?.prompt, "system"), []);
    assert.equal(warnings.filter((text) => text.startsWith("The model answers without memory: kith: GET /v1/context: ")).length, 2);
    assert.equal(warnings.filter((text) => text.startsWith("What was said is not stored: kith: POST /v1/conversations")).length, 2);
    assert.equal(warnings.length, 4);
    assert.doesNotMatch(warnings.join(), /kith_secret|Hello/);
  });
}

test("the steps of a turn wait for a silent Kith once", async (t) => {
  const { url, got } = await scripted(t, () => undefined);
  const memory = new Kith({ url, key });
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const mock = scriptedModel({ calls: { tool: "explore", input: { query: "x" } } }, { says: "Hello." });
  const model = wrapLanguageModel({ model: mock, middleware: kithMiddleware(memory, { user: "ada", timeout: 100, warn }) });
  const { text } = await generateText({ model, tools: kithTools(memory, { user: "ada", timeout: 100, warn }), prompt: "Hello", stopWhen: stepCountIs(3) });
  assert.equal(text, "Hello.");
  assert.deepEqual(got.map((one) => one.path.split("?")[0]), ["/v1/context", "/mcp"]);
  assert.match(textsOf(mock.doGenerateCalls[1]?.prompt, "tool")[0] ?? "", /The memory is not available now: go on without it\./);
  assert.deepEqual(warnings, [
    "The model answers without memory: kith: GET /v1/context: no answer within 0.1 s",
    "The tool explore failed: kith: POST /mcp: no answer within 0.1 s",
  ]);
});

const toolSays = (text: string, isError = false) => says(200, JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], isError } }));
const related = { from: "Ada", to: "Sarah", type: "has_relationship_with" };

for (const [tool, input, sent] of [
  ["explore", { query: "x" }, 2],
  ["remember", { nodes: [{ kind: "person", name: "Sarah" }], relationships: [related] }, 2],
  ["remember", { relationships: [related, { ...related, contradicts: true }] }, 1],
  ["forget", { names: ["Sarah"] }, 1],
] as const) {
  test(`${tool} ${JSON.stringify(input)} is sent ${sent === 1 ? "once" : "again"} when Kith does not answer`, async (t) => {
    const { url, got } = await scripted(t, breaks, toolSays("Done."));
    const model = scriptedModel({ calls: { tool, input } }, { says: "Hello." });
    const tools = kithTools(new Kith({ url, key }), { user: "ada", warn: () => undefined });
    await generateText({ model, tools, prompt: "Hello", stopWhen: stepCountIs(2) });
    assert.equal(got.length, sent);
    assert.match(textsOf(model.doGenerateCalls[1]?.prompt, "tool")[0] ?? "", sent === 1 ? /The memory is not available now/ : /Done\./);
  });
}

test("a tool call that Kith refuses is logged, without what is stored", async (t) => {
  const refusal = "Refused: the call has faults.\n- entity_keys[0]: is the name of several nodes: use the entity key of one, p-1 (Sarah)";
  const { url } = await scripted(t, toolSays(refusal, true));
  const warnings: string[] = [];
  const model = scriptedModel({ calls: { tool: "forget", input: { names: ["Sarah"] } } }, { says: "Hello." });
  const tools = kithTools(new Kith({ url, key }), { user: "ada", warn: (text) => warnings.push(text) });
  await generateText({ model, tools, prompt: "Hello", stopWhen: stepCountIs(2) });
  assert.match(textsOf(model.doGenerateCalls[1]?.prompt, "tool")[0] ?? "", /p-1 \(Sarah\)/);
  assert.deepEqual(warnings, ["The tool forget failed: Refused: the call has faults."]);
});

test("a call that its caller aborts fails", async (t) => {
  const { url } = await scripted(t, () => undefined);
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 50);
  const model = wrapLanguageModel({ model: scriptedModel({ says: "Hello." }), middleware: kithMiddleware(new Kith({ url, key }), { user: "ada" }) });
  await assert.rejects(generateText({ model, prompt: "Hello", abortSignal: stop.signal }), /enough/);
});

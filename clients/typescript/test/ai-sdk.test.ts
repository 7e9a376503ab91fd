import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, type ModelMessage, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { Kith } from "@kith/client";
import { kithMiddleware, kithTools } from "@kith/client/ai-sdk";
import { type Act, scriptedModel, textsOf } from "./model.js";
import { freshUser } from "./server.js";

const memory = new Kith();

/** Returns a model with the memory of a new user, and a function that reads what of its conversation is stored. */
function remembering(...acts: Act[]) {
  const user = freshUser();
  const conversation = `${user}-talk`;
  const warnings: string[] = [];
  const mock = scriptedModel(...acts);
  const model = wrapLanguageModel({ model: mock, middleware: kithMiddleware(memory, { user, conversation, timeout: 30_000, warn: (text) => warnings.push(text) }) });
  const stored = async () => {
    const { data } = await memory.api.GET("/v1/conversations/{id}", { params: { path: { id: conversation }, query: { user_id: user } } });
    return (data?.messages ?? []).map((message) => `${message.role}: ${message.text}`);
  };
  return { user, conversation, warnings, mock, model, stored, tools: kithTools(memory, { user, timeout: 30_000, warn: (text) => warnings.push(text) }) };
}

test("the context is behind the system prompt, and what is said is stored", async () => {
  const { user, mock, model, stored, warnings } = remembering({ says: "Hello Ada." });
  await memory.remember(user, "I never eat fish.");
  await generateText({ model, system: "You are a cook.", prompt: "What shall I eat?" });
  const [own, context] = textsOf(mock.doGenerateCalls[0]?.prompt, "system");
  assert.equal(own, "You are a cook.");
  assert.match(context ?? "", /^What you know about the user.*\n\n# About [^]*I never eat fish\./);
  assert.deepEqual(await stored(), ["user: What shall I eat?", "assistant: Hello Ada."]);
  assert.deepEqual(warnings, []);
});

test("what the user says in one conversation is known in the next", async () => {
  const { user, model } = remembering({ says: "Noted." });
  await generateText({ model, prompt: "From now on answer in verse." });
  const mock = scriptedModel({ says: "O." });
  await generateText({ model: wrapLanguageModel({ model: mock, middleware: kithMiddleware(memory, { user, timeout: 30_000 }) }), prompt: "Hello" });
  assert.match(textsOf(mock.doGenerateCalls[0]?.prompt, "system")[0] ?? "", /From now on answer in verse\./);
});

test("another answer to the same prompt has the context of its own time", async () => {
  const { user, mock, model, stored } = remembering({ says: "One." }, { says: "Two." });
  await generateText({ model, prompt: "What shall I eat?" });
  await memory.remember(user, "I never eat fish.");
  await generateText({ model, prompt: "What shall I eat?" });
  const contexts = mock.doGenerateCalls.map((call) => /I never eat fish/.test(textsOf(call.prompt, "system").join()));
  assert.deepEqual(contexts, [false, true]);
  assert.deepEqual(await stored(), ["user: What shall I eat?", "assistant: One.", "assistant: Two."]);
});

test("a stream is passed on, and stored before it ends", async () => {
  const { model, stored } = remembering({ says: "At nine in the morning." });
  const result = streamText({ model, prompt: "When does the ferry leave?" });
  assert.equal(await result.text, "At nine in the morning.");
  assert.deepEqual(await stored(), ["user: When does the ferry leave?", "assistant: At nine in the morning."]);
});

test("a stream that is stopped stores what was said until then", async () => {
  const { model, stored } = remembering({ says: "A very long story about a ferry" });
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Tell me" }] }] });
  const reader = stream.getReader();
  for (let text = ""; text.length < 6; ) {
    const { value } = await reader.read();
    if (value?.type === "text-delta") text += value.delta;
  }
  await reader.cancel();
  const [question, answer = "", ...more] = await stored();
  assert.deepEqual([question, more], ["user: Tell me", []]);
  assert.ok("assistant: A very long story about a ferry".startsWith(answer) && answer.length >= "assistant: A very".length, answer);
});

/** Reads a stream until it has said a text, and returns its reader. */
async function heard(model: ReturnType<typeof remembering>["model"], text: string) {
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Tell me" }] }] });
  const reader = stream.getReader();
  for (let said = ""; said !== text; ) {
    const { value } = await reader.read();
    if (value?.type === "text-delta") said += value.delta;
  }
  await new Promise((resolve) => setTimeout(resolve, 10)); // until it has read what it reads in advance
  return reader;
}

test("a stream that is stopped while the model is silent stores what was said once", async () => {
  const { model, stored } = remembering({ says: "A very long", hangs: () => undefined });
  const reader = await heard(model, "A very long");
  assert.equal((await reader.read()).value?.type, "text-end"); // from here on the model is silent
  await reader.cancel();
  await new Promise((resolve) => setTimeout(resolve, 300)); // a second storing would end now
  assert.deepEqual(await stored(), ["user: Tell me", "assistant: A very long"]);
});

test("a stream that fails to stop stores what was said until then", async () => {
  const fails = () => {
    throw new Error("the connection is gone");
  };
  const { model, stored } = remembering({ says: "A very long story", hangs: fails });
  const reader = await heard(model, "A v");
  await reader.cancel().catch((error: unknown) => assert.match(String(error), /the connection is gone/)); // ai 7 hides the error
  assert.deepEqual(await stored(), ["user: Tell me", "assistant: A very"]); // with the part that was read in advance
});

test("equal texts after equal texts are one message sent again, unless the program gives ids", async () => {
  const { model, stored } = remembering({ says: "Go on?" });
  const say = (options: Pick<ModelMessage, "providerOptions"> = {}) =>
    generateText({ model, messages: [{ role: "assistant", content: "Go on?" }, { role: "user", content: "Yes.", ...options }] });
  const ids = ["m-1", "m-1", "m-2"].map((id) => ({ providerOptions: { kith: { id } } }));
  for (const options of [{}, {}, ...ids]) await say(options);
  const [yes, answer] = ["user: Yes.", "assistant: Go on?"];
  assert.deepEqual(await stored(), [yes, answer, answer, yes, answer, answer, yes, answer]);
});

test("a call that fails stores nothing, and the next one stores the message once", async () => {
  const { model, stored } = remembering({ fails: true }, { fails: true }, { says: "Yes." });
  await assert.rejects(generateText({ model, prompt: "Are you there?", maxRetries: 0 }));
  await streamText({ model, prompt: "Are you there?", onError: () => undefined }).consumeStream();
  assert.deepEqual(await stored(), []);
  await generateText({ model, prompt: "Are you there?" });
  assert.deepEqual(await stored(), ["user: Are you there?", "assistant: Yes."]);
});

test("the tools store, find and forget, and a loop of tool calls stores each message once", async () => {
  const remember = {
    nodes: [
      { kind: "person", name: "Ada", is_owner: true },
      { kind: "person", name: "Sarah", description: "Builds boats" },
    ],
    relationships: [{ from: "Ada", to: "Sarah", type: "has_relationship_with", description: "Her sister" }],
  };
  const { user, mock, model, stored, tools } = remembering(
    { says: "I note it.", calls: { tool: "remember", input: remember } },
    { calls: { tool: "explore", input: { query: "Sarah" } } },
    { says: "Your sister builds boats." },
    { calls: { tool: "forget", input: { names: ["Sarah"] } } },
    { says: "Forgotten." },
  );
  await generateText({ model, tools, prompt: "My sister Sarah builds boats.", stopWhen: stepCountIs(5) });
  assert.match(await memory.context(user), /\*\*Sarah\*\*.*Her sister/);
  assert.match(textsOf(mock.doGenerateCalls[1]?.prompt, "tool")[0] ?? "", /Stored 3 of 3/);
  assert.match(textsOf(mock.doGenerateCalls[2]?.prompt, "tool")[1] ?? "", /Builds boats/);
  const systems = mock.doGenerateCalls.map((call) => textsOf(call.prompt, "system").join());
  assert.equal(new Set(systems).size, 1, "the steps of one turn have the same context");
  await streamText({ model, tools, prompt: "Forget Sarah.", stopWhen: stepCountIs(5) }).consumeStream();
  assert.doesNotMatch(await memory.context(user), /Sarah\*\*/);
  assert.deepEqual(await stored(), [
    "user: My sister Sarah builds boats.",
    "assistant: I note it.",
    "assistant: Your sister builds boats.",
    "user: Forget Sarah.",
    "assistant: Forgotten.",
  ]);
});

test("a wrong call of a tool tells the model what would be right", async () => {
  const wrong = { relationships: [{ from: "Ada", to: "Nobody", type: "Has Relationship" }] };
  const { mock, model, tools } = remembering({ calls: { tool: "remember", input: wrong } }, { says: "Oh." });
  const { steps } = await generateText({ model, tools, prompt: "Hello", stopWhen: stepCountIs(2) });
  assert.equal(steps[0]?.content.find((part) => part.type === "tool-error")?.toolName, "remember");
  const told = textsOf(mock.doGenerateCalls[1]?.prompt, "tool")[0] ?? "";
  assert.match(told, /"type":"error-text"/);
  assert.match(told, /relationships\[0\]/);
});

test("texts that Kith cannot store as they are do not lose the others", async () => {
  const { model, stored, warnings } = remembering({ says: "a\0b\ud800" });
  await generateText({ model, prompt: "x".repeat(70_000) });
  const [question, answer] = await stored();
  assert.equal(question?.length, "user: ".length + 65_536);
  assert.equal(answer, "assistant: a\uFFFDb\uFFFD");
  assert.deepEqual(warnings, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kith, KithError } from "@kith/client";
import { freshUser } from "./server.js";

const memory = new Kith(); // KITH_URL and KITH_KEY: a Kith that runs

test("what is remembered is in the next context", async () => {
  const user = freshUser();
  const written = await memory.remember(user, {
    nodes: [
      { kind: "person", entity_key: `${user}-owner`, name: "Ada", is_owner: true },
      { kind: "person", entity_key: `${user}-grace`, name: "Grace" },
    ],
    relationships: [{ from: `${user}-owner`, to: `${user}-grace`, type: "has_relationship_with", description: "Her oldest friend" }],
  });
  assert.deepEqual(written.nodes.map((node) => node.status), ["created", "created"]);
  const text = await memory.context(user, { maxTokens: 400, timeZone: "Asia/Tokyo" });
  assert.match(text, /\*\*Grace\*\*.*Her oldest friend/);
  assert.match(text, /Asia\/Tokyo/);
  const context = await memory.context(user, { format: "json" });
  assert.equal(context.user?.owner_person_node?.name, "Ada");
  assert.equal(context.relationships?.[0]?.relationship_description, "Her oldest friend");
});

test("a text is found again, and its statements are in the next context", async () => {
  const user = freshUser();
  await memory.remember(user, "I never eat fish. The boiler was mended by Jonquil.");
  assert.match(await memory.context(user), /I never eat fish\./);
  assert.match(await memory.explore(user, "who mended the boiler?", { maxTokens: 300 }), /Jonquil/);
  const found = await memory.explore(user, "boiler", { format: "json", limit: 1 });
  assert.ok(found.semantic);
});

test("all or nothing is remembered, and the error says where the fault is", async () => {
  const user = freshUser();
  const nodes = [{ kind: "person" as const, name: "Grace" }];
  const relationships = [{ from: "nobody", to: "no-one", type: "has_relationship_with" }];
  await assert.rejects(memory.remember(user, { nodes, relationships }), (error: unknown) => {
    assert.ok(error instanceof KithError);
    assert.deepEqual([error.status, error.faults[0]?.location], [422, "body.relationships[0].from"]);
    return true;
  });
  assert.doesNotMatch(await memory.context(user), /Grace/);
  const partly = await memory.remember(user, { nodes, relationships, strict: false });
  assert.equal(partly.relationships[0]?.status, "refused");
  assert.match(await memory.context(user), /Grace/);
});

test("a conversation is opened, appended to, and ended", async () => {
  const user = freshUser();
  const talk = memory.conversation(user);
  assert.match(await talk.open({ maxTokens: 400 }), /This is the first conversation/);
  const question = { role: "user", text: "When does the ferry leave?", entity_key: `${user}-m1` };
  await talk.append([question]);
  await talk.append([question, { role: "assistant", text: "At nine." }]);
  await talk.end({ summary: "The ferry leaves at nine." });
  const { data } = await memory.api.GET("/v1/conversations/{id}", { params: { path: { id: talk.id }, query: { user_id: user } } });
  assert.deepEqual(data?.messages.map((message) => message.text), ["When does the ferry leave?", "At nine."]);
  assert.match(await memory.conversation(user, talk.id).open(), /At nine\./);
});

test("appending opens a conversation that does not exist", async () => {
  const user = freshUser();
  const talk = memory.conversation(user, `${user}-talk`);
  const { messages } = await talk.append([{ role: "user", text: "Hello" }]);
  assert.equal(messages[0]?.status, "created");
});

test("the generated client has the rest of the API", async () => {
  const user = freshUser();
  await memory.api.PUT("/v1/users/{id}/preferences/{key}", { params: { path: { id: user, key: "units" } }, body: { value: "metric" } });
  assert.match(await memory.context(user), /units/);
  const refused = await memory.api.GET("/v1/context", { params: { query: { user_id: user, time_zone: "Atlantis" } } });
  assert.equal(refused.error?.errors?.[0]?.location, "query.time_zone");
});

test("a wrong key is an error that says so", async () => {
  const error = await new Kith({ key: "kith_wrong" }).context("ada").catch((cause: unknown) => cause);
  assert.ok(error instanceof KithError && error.status === 401, String(error));
});

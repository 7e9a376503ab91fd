import assert from "node:assert/strict";
import { test } from "node:test";
import { Kith, KithError } from "@kith/client";
import { breaks, says, scripted, type Step } from "./server.js";

const key = "kith_secret";
const busy = says(503, "{}", { "Retry-After": "0" });
const markdown = { "Content-Type": "text/markdown; charset=utf-8" };
const stored = says(200, '{"nodes":[],"relationships":[],"warnings":[]}');

async function refusedBy(run: Promise<unknown>): Promise<KithError> {
  const error = await run.then(
    () => assert.fail("succeeded"),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof KithError, String(error));
  assert.ok(!String(error.stack).includes(key) && !JSON.stringify(error).includes(key), "the error has the key");
  return error;
}

test("a call is retried while Kith is away, with the same idempotency key", async (t) => {
  const { url, got } = await scripted(t, busy, breaks, says(429, "{}"), stored);
  await new Kith({ url: url + "/", key }).remember("ada", { nodes: [{ kind: "person", name: "Grace" }] });
  assert.equal(got.length, 4);
  assert.equal(new Set(got.map((one) => one.body)).size, 1);
  assert.match(got[0]!.body, /"idempotency_key":"[0-9a-f]{32}","strict":true,/);
  assert.ok(got.every((one) => one.headers.authorization === `Bearer ${key}` && one.path === "/v1/memory"));
});

test("retries end", async (t) => {
  const { url, got } = await scripted(t, busy);
  const error = await refusedBy(new Kith({ url, key, retries: 2 }).context("ada"));
  assert.equal(got.length, 3);
  assert.deepEqual([error.status, error.retryAfter, error.unavailable], [503, 0, true]);
});

test("Retry-After is waited for", async (t) => {
  const { url, got } = await scripted(t, says(429, "{}", { "Retry-After": "1" }), stored);
  const start = performance.now();
  await new Kith({ url, key }).remember("ada", {});
  assert.ok(performance.now() - start >= 990);
  assert.equal(got.length, 2);
});

test("what may not be repeated is sent again only after a 429", async (t) => {
  const patch = (url: string) => new Kith({ url, key }).api.PATCH("/v1/nodes/{kind}/{key}", { params: { path: { kind: "person", key: "p" } }, body: {} });
  const away = await scripted(t, busy);
  assert.equal((await patch(away.url)).response.status, 503);
  const limited = await scripted(t, says(429, "{}"), says(200, "{}"));
  assert.equal((await patch(limited.url)).response.status, 200);
  const broken = await scripted(t, breaks);
  await refusedBy(patch(broken.url));
  assert.deepEqual([away.got.length, limited.got.length, broken.got.length], [1, 2, 1]);
});

test("an error has status, detail and the places of its faults", async (t) => {
  const faults = [1, 2, 3, 4].map((n) => ({ location: `body.nodes[${n}]`, message: "is wrong", code: "required" }));
  const problem = { type: "about:blank", title: "Unprocessable Entity", status: 422, detail: "the request has faults", errors: faults };
  const { url, got } = await scripted(t, says(422, JSON.stringify(problem), { "X-Request-Id": "r-1" }));
  const error = await refusedBy(new Kith({ url, key }).remember("ada", {}));
  assert.equal(error.message, "kith: POST /v1/memory: 422 the request has faults; body.nodes[1] is wrong; body.nodes[2] is wrong; body.nodes[3] is wrong; and 1 more");
  assert.deepEqual([error.faults, error.requestId, error.unavailable, got.length], [faults, "r-1", false, 1]);
});

test("the page of a proxy is an error with its status alone", async (t) => {
  const { url } = await scripted(t, says(502, "<html>", { "Content-Type": "text/html" }));
  const error = await refusedBy(new Kith({ url, key }).context("ada"));
  assert.equal(error.message, "kith: GET /v1/context: 502 bad gateway");
  assert.equal(error.problem, undefined);
});

test("an answer that is not Kith's is an error", async (t) => {
  const { url } = await scripted(t, says(200, "<html>"));
  assert.match((await refusedBy(new Kith({ url, key }).context("ada", { format: "json" }))).message, /not Kith's/);
  assert.match((await refusedBy(new Kith({ url, key }).callTool("explore", {}))).message, /not Kith's/);
});

test("a text that is not Kith's is an error", async (t) => {
  const calls = [
    (memory: Kith) => memory.context("ada"),
    (memory: Kith) => memory.explore("ada", "who?"),
    (memory: Kith) => memory.conversation("ada", "c").open(),
  ];
  for (const call of calls) {
    for (const type of ["text/html; charset=utf-8", "application/json", "text/markdownish"]) {
      const { url, got } = await scripted(t, says(200, "<html>", { "Content-Type": type }));
      const error = await refusedBy(call(new Kith({ url, key })));
      assert.match(error.message, /^kith: (GET|POST) \/v1\/[a-z]+: the answer is not a text; is this the address of a Kith\?$/);
      assert.deepEqual([error.status, error.unavailable, got.length], [200, false, 1]);
    }
    for (const type of ["text/markdown; charset=utf-8", "text/plain"]) {
      const { url } = await scripted(t, says(200, "# About ada", { "Content-Type": type }));
      assert.equal(await call(new Kith({ url, key })), "# About ada");
    }
  }
});

test("redirects are not followed: another host gets neither key nor request", async (t) => {
  const other = await scripted(t, stored);
  const { url } = await scripted(t, says(307, "", { Location: `${other.url}/v1/memory` }));
  assert.match((await refusedBy(new Kith({ url, key }).remember("ada", {}))).message, /redirects/);
  assert.equal(other.got.length, 0);
});

test("appending ends at its timeout, also when it has to open the conversation", async (t) => {
  const slowly = (step: Step): Step => (response, got) => void setTimeout(() => step(response, got), 300);
  const { url } = await scripted(t, slowly(says(404, "{}")), slowly(says(200, "# About ada", markdown)), slowly(says(200, "{}")));
  const error = await refusedBy(new Kith({ url, key }).conversation("ada", "c").append([{ role: "user", text: "Hello" }], { timeout: 700 }));
  assert.match(error.message, /no answer within 0\.7 s/);
});

test("a call ends at its timeout, also while it waits to retry", async (t) => {
  const silent = await scripted(t, () => undefined);
  const error = await refusedBy(new Kith({ url: silent.url, key, timeout: 100 }).context("ada"));
  assert.equal(error.message, "kith: GET /v1/context: no answer within 0.1 s");
  const waiting = await scripted(t, says(503, "{}", { "Retry-After": "5" }));
  assert.equal((await refusedBy(new Kith({ url: waiting.url, key }).context("ada", { timeout: 100 }))).status, 503);
});

test("a signal ends a call with its reason", async (t) => {
  const { url } = await scripted(t, () => undefined);
  const stop = new AbortController();
  const reason = new Error("enough");
  setTimeout(() => stop.abort(reason), 50);
  await assert.rejects(new Kith({ url, key }).explore("ada", "who?", { signal: stop.signal }), reason);
});

test("nobody answers", async () => {
  const error = await refusedBy(new Kith({ url: "http://127.0.0.1:1", key, retries: 0 }).context("ada"));
  assert.equal(error.message, "kith: GET /v1/context: no answer from http://127.0.0.1:1");
  assert.deepEqual([error.status, error.unavailable], [0, true]);
});

test("a client needs a key, and no address with a password", async () => {
  const { KITH_URL, KITH_KEY } = process.env;
  delete process.env["KITH_URL"];
  delete process.env["KITH_KEY"];
  try {
    assert.throws(() => new Kith(), /no API key: give key to new Kith, or set KITH_KEY/);
    assert.throws(() => new Kith({ key: "kith_a\nb" }), (error: Error) => !error.message.includes("kith_a"));
    for (const url of ["localhost:8080", "ftp://127.0.0.1", "http://ada:secret@127.0.0.1", ""]) {
      assert.throws(() => new Kith({ url, key }), (error: Error) => error.message.startsWith("kith: url is no") && !error.message.includes("secret"));
    }
    const asked: string[] = [];
    const fetch = async (request: unknown) => (asked.push((request as Request).url), new Response("# About ada"));
    assert.equal(await new Kith({ key, fetch }).context("ada"), "# About ada");
    assert.deepEqual(asked, ["http://127.0.0.1:8080/v1/context?user_id=ada&format=text&max_tokens=1300"]);
  } finally {
    Object.assign(process.env, { KITH_URL, KITH_KEY });
  }
});

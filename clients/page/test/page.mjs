// Journeys through the page of a running Kith, in a browser.
//
//	KITH_URL, KITH_KEY (admin, read and write), KITH_USER, CHROMIUM; node clients/page/test/page.mjs
//
// The user has the demo's memory. Each journey ends with a line on standard output; the first that fails ends the run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const { KITH_URL: base, KITH_KEY: key, KITH_USER: user, CHROMIUM: executablePath } = process.env;
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Calls the API as the page does. */
async function api(method, path, body, as = key) {
  const response = await fetch(base + path, {
    method,
    headers: { Authorization: `Bearer ${as}`, ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${response.ok ? "" : await response.text()}`);
  return response.status === 204 ? null : response.json();
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** A page that is not signed in. Faults of scripts, and requests to other hosts, fail the journey at its end. */
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // a Neo4j that has just started takes seconds to plan a statement
  page.faults = [];
  page.bytes = 0;
  page.on("pageerror", (error) => page.faults.push(`script: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !/status of 4\d\d|ERR_/.test(message.text()) && page.faults.push(`console: ${message.text()}`));
  page.on("request", (request) => request.url().startsWith(base) || request.url().startsWith("data:") || page.faults.push(`request: ${request.url()}`));
  return page;
}

const address = (screen, query = {}) => `${base}/ui/${screen}?${new URLSearchParams({ user, ...query })}`;

async function signedIn(screen, query, options) {
  const page = await open(options);
  await page.goto(`${address(screen, query)}#key=${key}`);
  await page.waitForSelector("main h1");
  return page;
}

async function settled(page) {
  await page.waitForFunction(() => ![...document.querySelectorAll(".status")].some((e) => /Loading|Searching|Running/.test(e.textContent)) && !document.querySelector(".stale"));
}

/** The lines of a context's text, without the time of day and its date: two texts may be of different minutes. */
const lines = (text) => text.replace(/(\w+ \d{4}-\d\d-\d\d, )?\d\d:\d\d/g, "").split("\n").filter((line) => line.trim());

const journeys = {
  async "sign in and out"() {
    const page = await open();
    await page.goto(`${base}/`);
    assert.equal(new URL(page.url()).pathname, "/ui/");
    await page.fill("input[name=key]", "kith_wrong");
    await page.click("button[type=submit]");
    await page.waitForSelector(".problem >> text=401");
    await page.fill("input[name=key]", key);
    await page.keyboard.press("Enter");
    await page.click(`tbody a >> text="${user}"`);
    await page.waitForSelector(".line");
    await page.reload(); // the key was in memory only
    await page.waitForSelector("input[name=key]");
    await page.fill("input[name=key]", key);
    await page.check("input[name=keep]");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".line");
    await page.reload(); // and now it is kept for the tab
    await page.waitForSelector(".line");
    await page.click("text=Sign out");
    await page.waitForSelector("input[name=key]");
    assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length + document.cookie.length), 0);
    return page;
  },

  async "a link with a key leaves no key in the address"() {
    const page = await signedIn("context");
    assert.ok(!page.url().includes("kith_"));
    assert.ok(!(await page.evaluate(() => JSON.stringify(history.state) + document.documentElement.outerHTML)).includes(key));
    return page;
  },

  async "a link with another key asks before it replaces the one of the tab"() {
    const made = await api("POST", "/v1/keys", { user_id: user, scopes: ["read"] });
    const page = await open();
    const used = new Set();
    page.on("request", (r) => r.headers().authorization && used.add(r.headers().authorization.slice("Bearer ".length)));
    await page.goto(`${base}/ui/`);
    await page.fill("input[name=key]", key);
    await page.check("input[name=keep]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=Sign out");
    await page.goto(`${address("timeline")}#key=${key}`); // the same key is no other one
    await page.waitForSelector("text=Sign out");
    for (const screen of ["context", "explore"]) {
      await page.goto(`${address(screen)}#key=${made.key}`);
      await page.waitForSelector("button >> text=Use the key of the link");
      assert.ok(!page.url().includes("kith_"));
      assert.deepEqual([...used], [key], "nothing is asked with the key of the link");
      if (screen === "explore") break;
      await page.click("button >> text=Keep the key of this tab");
      await page.waitForSelector("text=Sign out");
    }
    used.clear();
    await page.click("button >> text=Use the key of the link");
    await page.waitForSelector("text=Sign out");
    assert.deepEqual([...used], [made.key]);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, "the key before is forgotten");
    await api("DELETE", `/v1/keys/${made.key_id}`);
    return page;
  },

  async "the context is the API's, at each budget"() {
    const page = await signedIn("context");
    await settled(page);
    const shown = () => page.$$eval(".line:not(.cut) .text", (all) => all.map((e) => e.textContent).join("\n"));
    const cut = () => page.$$eval(".line.cut .text", (all) => all.map((e) => e.textContent).sort());
    for (const budget of [0, 1500, 600, 200]) {
      if (budget) {
        const answered = page.waitForResponse((r) => r.url().includes(`max_tokens=${budget}`));
        await page.fill("#budget", String(budget));
        await page.waitForFunction((b) => new URLSearchParams(location.search).get("max_tokens") === String(b), budget);
        await answered;
        await settled(page);
      }
      const { receipt } = await api("GET", `/v1/context?user_id=${user}&format=text&explain=true${budget ? `&max_tokens=${budget}` : ""}`);
      assert.deepEqual(lines(await shown()), lines(receipt.text));
      assert.deepEqual(await cut(), receipt.left_out.map((l) => l.text.trim()).sort());
      const listed = await page.$$eval(".left-out li bdi", (all) => all.map((e) => e.textContent));
      assert.deepEqual(listed, receipt.left_out.map((l) => l.text.trim()));
      if (budget === 200) assert.ok(receipt.left_out.length > 5);
    }
    // A line comes back at the budget that its receipt says.
    const first = await page.textContent(".left-out li bdi");
    await page.click(".left-out li button");
    await page.waitForFunction((text) => ![...document.querySelectorAll(".line.cut .text")].some((e) => e.textContent === text), first);
    return page;
  },

  async "a line leads to its node, which is forgotten and comes back"() {
    const page = await signedIn("context");
    const line = page.locator("details.line", { hasText: "Measure, then show somebody" });
    await line.locator("summary").click();
    await line.locator("a").first().click();
    await page.waitForSelector("h1 >> text=Ask before you cut");
    await page.waitForSelector("text=The context of this user shows it.");
    await page.click("button >> text=Forget");
    await page.click("dialog button[type=submit]");
    await page.waitForSelector("h1 >> text=Forgotten");
    assert.ok(!JSON.stringify(await api("GET", `/v1/context?user_id=${user}`)).includes("Measure, then show somebody"));
    await page.click("button >> text=Undo");
    await page.waitForSelector("h1 >> text=Ask before you cut");
    assert.ok(JSON.stringify(await api("GET", `/v1/context?user_id=${user}`)).includes("Measure, then show somebody"));
    const path = `/v1/nodes/concept/${encodeURIComponent(`${user}/ask-before-cutting`)}?user_id=${user}`;
    const before = await api("GET", path);
    await page.click("button >> text=Edit");
    await page.fill("dialog textarea", "Measure twice, then show somebody.");
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(".prose >> text=Measure twice");
    const after = await api("GET", path);
    for (const field of ["name", "state", "ttl_policy", "salience"]) assert.equal(after[field], before[field], `${field} was not changed`);
    await api("PATCH", path, { description: before.description });
    return page;
  },

  async "a node is merged into another one, and the merge is undone"() {
    await api("POST", "/v1/memory", { user_id: user, nodes: [
      { kind: "entity", entity_key: "merge-a", name: "Boatyard", description: "where boats are built" },
      { kind: "entity", entity_key: "merge-b", name: "The yard", description: "a place by the river" },
    ] });
    const page = await signedIn("node", { kind: "entity", key: "merge-a" });
    await page.click("button >> text=Merge");
    await page.fill("dialog input", "merge-b");
    await page.click("button >> text=Show what it does");
    await page.click("dialog input[type=checkbox]"); // its description
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(".prose >> text=a place by the river");
    await page.waitForSelector("dd >> text=The yard");
    assert.equal((await api("GET", `/v1/nodes/entity/merge-b?user_id=${user}`)).entity_key, "merge-a");
    await page.click("button >> text=Undo the merge");
    await page.waitForSelector(".prose >> text=where boats are built");
    assert.equal((await api("GET", `/v1/nodes/entity/merge-b?user_id=${user}`)).description, "a place by the river");
    for (const key of ["merge-a", "merge-b"]) await api("DELETE", `/v1/nodes/entity/${key}?user_id=${user}`);
    return page;
  },

  async "a node's history shows what changed, and a version comes back"() {
    const path = `/v1/nodes/concept/tides?user_id=${user}`;
    await api("POST", "/v1/memory", { user_id: user, nodes: [{ kind: "concept", entity_key: "tides", name: "Tides", description: "Twice a day" }] });
    await api("PATCH", path, { description: "Four times a day" });
    const page = await signedIn("node", { kind: "concept", key: "tides" });
    const versions = page.locator(".history > li");
    await versions.nth(1).waitFor();
    assert.match(await versions.first().textContent(), /^Version 2.*through patch-node by key .* · stored nowdescriptionTwice a day → Four times a day$/);
    await page.click('button[aria-label="Restore this version: 1"]');
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(".prose >> text=Twice a day");
    await page.waitForSelector(".history > li:first-child >> text=Version 3");
    assert.match(await versions.first().textContent(), /^Version 3.*Four times a day → Twice a day$/);
    const { version, description } = await api("GET", path);
    assert.deepEqual([version, description], [3, "Twice a day"]);
    await page.fill("input[type=date]", "2020-01-01"); // it was not there
    await page.waitForSelector(".problem >> text=404");
    await page.fill("input[type=date]", "2999-01-01");
    await page.waitForSelector(".problem >> text=422");
    assert.equal(await page.locator("main button >> text=Edit").count(), 0);
    await page.fill("input[type=date]", new Date().toISOString().slice(0, 10));
    await page.waitForSelector(".prose >> text=Twice a day");
    await api("DELETE", path);
    return page;
  },

  async "search shows what the API found"() {
    const page = await signedIn("explore");
    await page.fill("input[type=search]", "the wedding speech");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".hit");
    const { episodic } = await api("POST", "/v1/explore", { user_id: user, queries: [{ query: "the wedding speech" }], limit: 20 });
    const shown = await page.$$eval(".hit h3 a", (all) => all.map((a) => new URL(a.href).searchParams.get("key")));
    // The first search counts as a recall of its hits, which may change their order in the second.
    assert.deepEqual(shown.slice(0, episodic.sources.length).sort(), episodic.sources.map((s) => s.entity_key).sort());
    await page.check("text=Compare two queries");
    await page.fill("input[type=search] >> nth=1", "nothing-is-called-this");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".columns > section").length === 2);
    return page;
  },

  async "Cypher answers as a table, and what is not allowed is refused"() {
    const page = await signedIn("cypher");
    await page.fill("textarea", "MATCH (p:Person) RETURN p.name AS name ORDER BY name LIMIT 5");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("tbody tr");
    const { rows } = await api("POST", "/v1/traverse", { mode: "cypher", user_id: user, cypher: "MATCH (p:Person) RETURN p.name AS name ORDER BY name LIMIT 5" });
    assert.deepEqual(await page.$$eval("tbody tr", (all) => all.map((e) => e.textContent)), rows.map((row) => row[0]));
    await page.fill("textarea", "MATCH (n) DETACH DELETE n");
    await page.click("button >> text=Run");
    await page.waitForSelector(".problem");
    return page;
  },

  async "the graph is drawn, with a table of the same rows, and leads to nodes"() {
    const page = await signedIn("graph");
    await page.fill("input[type=search]", "Adaeze");
    await page.click(".choose button >> text=Adaeze Mertens");
    await page.waitForSelector(".drawing canvas");
    const rows = () => page.$$eval("tbody tr", (all) => all.map((e) => e.textContent));
    const near = await api("POST", "/v1/traverse", { mode: "neighbors", user_id: user, entity_key: `${user}/adaeze`, direction: "both", limit: 100 });
    assert.equal((await rows()).length, near.rows.length);
    await page.fill(".choose >> nth=1 >> input", "Bram");
    await page.click(".choose button >> text=Bram Kesteloot");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
    await page.click("tbody a >> text=Bram Kesteloot");
    await page.waitForSelector("h1 >> text=Bram Kesteloot");
    return page;
  },

  async "a past day, its conversations and its context"() {
    const page = await signedIn("timeline");
    const { conversations } = await api("GET", `/v1/conversations?user_id=${user}&limit=50`);
    await page.waitForSelector("details.hit");
    assert.equal((await page.$$("details.hit")).length, conversations.length);
    await page.click("details.hit summary");
    await page.waitForSelector("details.hit blockquote");
    await page.click(".day a >> nth=1");
    await page.waitForSelector(".line");
    assert.ok(new URL(page.url()).searchParams.get("as_of"));
    return page;
  },

  async "a workspace is the API's text"() {
    const page = await signedIn("workspace");
    await page.click("main .plain a");
    await page.waitForSelector(".line");
    await page.fill("input[inputmode=numeric]", "700");
    await page.keyboard.press("Enter");
    await page.locator(".line.notice", { hasText: "Left out to keep the token budget" }).waitFor();
    await settled(page);
    const project = new URL(page.url()).searchParams.get("project");
    const response = await fetch(`${base}/v1/ontology?${new URLSearchParams({ user_id: user, context_type: "project", project_id: project, format: "text", max_tokens: "700" })}`, { headers: { Authorization: `Bearer ${key}` } });
    const shown = await page.$$eval(".line:not(.cut) .text", (all) => all.map((e) => e.textContent).join(""));
    const squeezed = (text) => text.replaceAll(/\n+/g, "");
    assert.equal(squeezed(shown), squeezed(await response.text()));
    // A line of the project leads to its node.
    await page.locator("details.line:not(.cut)", { hasText: "[" }).first().locator("summary").click();
    await page.locator("details.line[open] a").first().click();
    await page.waitForSelector("h2 >> text=Where it comes from");
    return page;
  },

  async "a chat branches, and an answer comes while it is watched"() {
    const turn = (id, parent, text) => api("POST", "/v1/trees/knots/turns", { user_id: user, id, parent_id: parent, user_prompt: text, generate: false });
    const answer = (id, text) => api("PATCH", `/v1/turns/${id}`, { user_id: user, assistant_text: text });
    await api("POST", "/v1/trees", { user_id: user, id: "knots", name: "Knots" });
    await turn("knot-1", undefined, "Which knot holds?");
    await answer("knot-1", "A bowline holds.");
    await turn("knot-2", "knot-1", "And on a wet rope?");
    await answer("knot-2", "That one, too.");
    await turn("knot-3", "knot-1", "And in the dark?");
    const page = await signedIn("chats");
    await page.click("a >> text=Knots");
    await page.click(".tree button >> text=And in the dark?");
    await page.waitForSelector("text=assistant, answering");
    await page.waitForSelector("blockquote >> text=A bowline holds."); // of the prompt
    await answer("knot-3", "By feel.");
    await page.waitForSelector("blockquote >> text=By feel.");
    await page.waitForSelector("text=assistant, answering", { state: "detached" });
    assert.equal((await page.$$(".tree .tree, .tree li")).length, 3);
    await api("DELETE", `/v1/trees/knots?user_id=${user}`);
    return page;
  },

  async "statements are confirmed, and what was deleted comes back"() {
    const path = `/v1/users/${user}/statements?states=candidate`;
    const { statements: before } = await api("GET", path);
    const page = await signedIn("care");
    const said = page.locator("section", { hasText: "Said by the user" });
    await said.locator("article button >> text=Confirm").first().click();
    await page.waitForFunction((n) => [...document.querySelector(".said").querySelectorAll("article button")].filter((b) => b.textContent === "Confirm").length === n, before.length - 1);
    assert.equal((await api("GET", path)).statements.length, before.length - 1);
    await api("POST", "/v1/memory", { user_id: user, nodes: [{ kind: "document", entity_key: "gone", name: "Gone for a while" }] });
    await api("DELETE", `/v1/nodes/document/gone?user_id=${user}`);
    await page.locator("section", { hasText: "Deleted" }).locator("select").selectOption("document");
    await page.locator("article", { hasText: "Gone for a while" }).locator("button").click();
    await page.locator("article", { hasText: "Gone for a while" }).waitFor({ state: "detached" });
    assert.equal((await api("GET", `/v1/nodes/document/gone?user_id=${user}`)).name, "Gone for a while");
    await api("DELETE", `/v1/nodes/document/gone?user_id=${user}`);
    // A candidate is archived, and comes back.
    await api("POST", "/v1/memory", { user_id: user, nodes: [{ kind: "concept", entity_key: "unsure", name: "Perhaps a hobby", state: "candidate" }] });
    await page.reload();
    await page.goto(`${address("care")}#key=${key}`);
    const unsure = page.locator("article", { hasText: "Perhaps a hobby" });
    await unsure.locator("button >> text=Archive").click();
    await unsure.waitFor({ state: "detached" });
    assert.equal((await api("GET", `/v1/nodes/concept/unsure?user_id=${user}`)).state, "archived");
    await page.click("button >> text=archived");
    await unsure.locator("button >> text=Take back").click();
    await unsure.waitFor({ state: "detached" });
    const { state, last_write } = await api("GET", `/v1/nodes/concept/unsure?user_id=${user}`);
    assert.deepEqual([state, last_write.through], ["active", "patch-node"]);
    await page.goto(`${address("node", { kind: "concept", key: "unsure" })}#key=${key}`);
    await page.waitForSelector(`text=through patch-node by key ${last_write.by}`);
    await api("DELETE", `/v1/nodes/concept/unsure?user_id=${user}`);
    return page;
  },

  async "a write that waits is confirmed, and all of an author are refused until the rule ends"() {
    await api("POST", "/v1/sources", { user_id: user, entity_key: "s-ferry", content_type: "email", author: "ferry@example.org", trust: 0.1, messages: [{ role: "user", text: "The ferry has a new pier." }] });
    const write = (nodes, relationships) => api("POST", "/v1/memory", { user_id: user, derived_from: ["s-ferry"], nodes, relationships });
    const pier = { kind: "entity", entity_key: "pier", name: "The new pier", description: "where the ferry lands" };
    const fee = { kind: "concept", entity_key: "fee", name: "The fee of the ferry" };
    assert.equal((await write([pier], [{ from: "pier", to: `${user}/adaeze`, type: "related_to", description: "she goes by ferry" }])).nodes[0].status, "waiting");
    await write([fee]);
    const page = await signedIn("care");
    const waits = page.locator("article", { hasText: "where the ferry lands" });
    await waits.locator("a >> text=s-ferry").waitFor();
    await waits.locator('a[href*="kind=person"] >> text=Adaeze Mertens').waitFor(); // an end by its name
    assert.match(await waits.textContent(), /from a mail or document of others, trust 0.1, by ferry@example.org.*The new pier.*she goes by ferry/);
    await waits.locator("button >> text=/^Confirm$/").click();
    await page.waitForSelector(".made >> text=The new pier created");
    await waits.waitFor({ state: "detached" });
    assert.equal((await api("GET", `/v1/nodes/entity/pier?user_id=${user}`)).name, "The new pier");
    await page.locator("article", { hasText: "The fee of the ferry" }).locator("button >> text=Always refuse").click();
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(".made >> text=Refused: The fee of the ferry");
    const rule = page.locator("li", { hasText: "ferry@example.org (a mail or document of others): always refused" });
    await rule.waitFor();
    assert.equal((await write([fee])).nodes[0].status, "refused");
    await rule.locator("button").click();
    await page.waitForSelector("text=Writes from ferry@example.org (a mail or document of others) wait again.");
    assert.deepEqual((await api("GET", `/v1/trust/rules?user_id=${user}`)).rules, []);
    assert.equal((await write([fee])).nodes[0].status, "waiting"); // and is there when the screen is checked for accessibility
    await page.goto(`${address("team")}#key=${key}`);
    await page.fill("input[name=min_trust]", "0.3");
    await page.keyboard.press("Enter");
    await page.waitForSelector("main [role=status] >> text=Saved");
    const { team_id } = await api("GET", "/v1/me");
    assert.equal((await api("GET", `/v1/teams/${team_id}/trust`)).min_trust, 0.3);
    await api("PATCH", `/v1/teams/${team_id}/trust`, { min_trust: 0.2 });
    return page;
  },

  async "a pair is said to be two things, is proposed again, and leads to its merge"() {
    const properties = { email: "quill@example.org" };
    await api("POST", "/v1/memory", { user_id: user, nodes: [
      { kind: "person", entity_key: "quill-1", name: "Tobias Quill", properties },
      { kind: "person", entity_key: "quill-2", name: "Tobi Quill", properties },
    ] });
    const pairs = async (state) => (await api("GET", `/v1/duplicates?user_id=${user}&state=${state}`)).duplicates.filter((p) => p.nodes.some((n) => n.entity_key === "quill-1"));
    for (let tries = 0; (await pairs("proposed")).length === 0; tries++) {
      assert.ok(tries < 900, "the pair is not proposed");
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const page = await signedIn("care");
    const pair = page.locator("article", { hasText: "Tobi Quill" });
    await pair.locator("a >> text=/^Tobias Quill$/").waitFor();
    assert.match(await pair.textContent(), /\d % probable.*For: .*e-mail/);
    await pair.locator("button >> text=Two things").click();
    await page.waitForSelector("text=are two things, and are not proposed again.");
    await pair.waitFor({ state: "detached" });
    assert.equal((await pairs("refused")).length, 1);
    await page.click('[aria-label="State of the pairs"] >> text=refused');
    await pair.locator("button >> text=Propose again").click();
    await pair.waitFor({ state: "detached" });
    assert.equal((await pairs("refused")).length, 0);
    await page.click('[aria-label="State of the pairs"] >> text=proposed');
    const [{ nodes }] = await pairs("proposed");
    await pair.locator("a >> text=/^Merge$/").click();
    await page.waitForSelector(`h1 >> text=/^${nodes[0].name}$/`);
    assert.equal(await page.inputValue("dialog input"), nodes[1].entity_key);
    await page.click("dialog >> text=Show what it does");
    await page.waitForSelector("dialog >> text=relationships move");
    await page.click("dialog >> text=Cancel");
    assert.ok(!page.url().includes("merge="));
    return page;
  },

  async "a source is withdrawn with what rests on it, and comes back"() {
    await api("POST", "/v1/sources", { user_id: user, entity_key: "s-almanac", content_type: "email", author: "almanac@example.org", summary: "The almanac of tides", messages: [{ role: "user", text: "Neap tides follow the half moon." }] });
    await api("POST", "/v1/memory", { user_id: user, derived_from: ["s-almanac"], nodes: [{ kind: "concept", entity_key: "neap", name: "Neap tide", description: "follows the half moon", notes: [{ content: "The pilot keeps a list." }] }] });
    const there = async () => (await fetch(`${base}/v1/nodes/concept/neap?user_id=${user}`, { headers: { Authorization: `Bearer ${key}` } })).status;
    const page = await signedIn("explore", { q: "neap tide half moon" });
    const hit = page.locator("article", { hasText: "follows the half moon" });
    await hit.locator("text=from a mail or document of others, trust 0.4").waitFor();
    await hit.locator("h3 a").click();
    await page.waitForSelector("blockquote >> text=/from a mail or document of others, trust 0.4/"); // its note
    await page.click("main p >> text=/^Rests on/ >> a"); // leads to the source
    await page.waitForSelector(".lead >> text=from a mail or document of others, trust 0.4 · by almanac@example.org");
    const withdraw = async () => {
      await page.click("button >> text=/^Withdraw$/");
      await page.waitForSelector("dialog >> text=With it goes: 1 message, 1 node and 0 relationships.");
      await page.waitForSelector("dialog li >> text=Neap tide");
      await page.click("dialog button[type=submit]");
      await page.waitForSelector("h1 >> text=Withdrawn");
      assert.equal(await there(), 404);
    };
    await withdraw();
    await page.click("button >> text=Undo");
    await page.waitForSelector(".lead >> text=almanac@example.org");
    assert.equal(await there(), 200);
    await withdraw();
    await page.goto(`${address("care", { kind: "source" })}#key=${key}`);
    const gone = page.locator("article", { hasText: "withdrawn" });
    await gone.locator("button >> text=Undo").click();
    await gone.waitFor({ state: "detached" });
    assert.equal(await there(), 200);
    assert.equal((await api("GET", `/v1/nodes/source/s-almanac?user_id=${user}`)).withdrawn_at ?? null, null);
    await api("DELETE", `/v1/nodes/concept/neap?user_id=${user}`);
    await api("DELETE", `/v1/nodes/source/s-almanac?user_id=${user}`);
    return page;
  },

  async "keys are made and revoked, and a user is erased after the name is typed"() {
    await api("POST", "/v1/memory", { user_id: "passing", nodes: [{ kind: "concept", name: "To be erased" }] });
    const page = await signedIn("team");
    await page.click("text=Make a key");
    await page.click("dialog button[type=submit]");
    const made = await page.textContent(".made code");
    assert.deepEqual((await api("GET", "/v1/me", undefined, made)).scopes, ["read"]);
    const { keys } = await api("GET", "/v1/keys");
    const id = keys.find((k) => made.includes(k.key_id))?.key_id ?? (await api("GET", "/v1/me", undefined, made)).key_id;
    await page.click(`button[aria-label="Revoke ${id}"]`);
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(`button[aria-label="Revoke ${id}"]`, { state: "detached" });
    const refused = await fetch(`${base}/v1/me`, { headers: { Authorization: `Bearer ${made}` } });
    assert.equal(refused.status, 401);
    await page.click(`button[aria-label="Erase passing"]`);
    assert.ok(await page.isDisabled("dialog button[type=submit]"));
    await page.fill("dialog input", "passing");
    await page.click("dialog button[type=submit]");
    await page.waitForSelector("text=Download the receipt");
    assert.equal((await api("GET", "/v1/nodes/concept?user_id=passing")).nodes.length, 0);
    return page;
  },

  async "hostile texts are shown as they are"() {
    const hostile = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> \u202Eright\u202C zero\u200Bwidth \u{1F9F6}\u{20BB7} ${"long ".repeat(3000)}`;
    await api("POST", "/v1/memory", {
      user_id: user,
      nodes: [
        { kind: "concept", entity_key: "hostile", name: `<b>bold</b> \u202E\u{1F9F6}`, description: hostile.trim(), state: "core", ttl_policy: "keep_forever" },
        { kind: "requirement", entity_key: "long", project_id: `${user}/project-belfry`, name: "Long", text: "<i>" + "\u{20BB7}".repeat(65_530) },
      ],
    });
    const page = await signedIn("node", { kind: "concept", key: "hostile" });
    await page.waitForSelector(".prose");
    const text = await page.textContent(".prose");
    assert.ok(text.startsWith(`<img src=x onerror="document.title='owned'"> <script>`));
    assert.ok(text.includes("U+202Eright") && text.includes("zeroU+200Bwidth") && text.includes("\u{1F9F6}\u{20BB7}"));
    assert.equal(await page.$$eval("main img, main script, main b", (all) => all.length), 0);
    assert.ok(!(await page.title()).includes("owned"));
    await page.goto(`${address("context")}#key=${key}`);
    await page.locator(".line", { hasText: "<b>bold" }).first().waitFor();
    await page.goto(`${address("node", { kind: "requirement", key: "long" })}#key=${key}`);
    await page.waitForSelector("h1 >> text=Long");
    assert.ok((await page.textContent(".prose")).startsWith("<i>\u{20BB7}\u{20BB7}"));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls to the side");
    await api("DELETE", `/v1/nodes/concept/hostile?user_id=${user}`);
    await api("DELETE", `/v1/nodes/requirement/long?user_id=${user}`);
    return page;
  },

  async "a key that ends meanwhile leads to the sign-in"() {
    const made = await api("POST", "/v1/keys", { user_id: user, scopes: ["read"], expires_at: new Date(Date.now() + 60_000).toISOString() });
    const page = await open();
    await page.goto(`${base}/ui/#key=${made.key}`);
    await page.waitForSelector(".line"); // a key of one user leads to that user's context
    assert.equal(await page.$$eval("button", (all) => all.filter((b) => /Edit|Forget/.test(b.textContent)).length), 0);
    await api("DELETE", `/v1/keys/${made.key_id}`);
    await page.waitForFunction(
      () => {
        document.querySelector("#budget") && (document.querySelector("#budget").value = String(200 + Math.floor(Math.random() * 900)));
        document.querySelector("#budget")?.dispatchEvent(new Event("input", { bubbles: true }));
        return document.querySelector("input[name=key]");
      },
      undefined,
      { polling: 500 },
    );
    return page;
  },

  async "Kith goes away and comes back"() {
    const page = await signedIn("context");
    await page.waitForSelector(".line");
    await page.context().setOffline(true);
    await page.fill("#budget", "300");
    await page.waitForSelector(".problem >> text=cannot be reached");
    await page.context().setOffline(false);
    await page.click("text=Try again");
    await page.waitForSelector(".line.cut");
    return page;
  },

  async "everything is reached by keyboard"() {
    const page = await signedIn("context");
    await page.waitForSelector(".line");
    const reached = new Set();
    for (let i = 0; i < 90; i++) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName + " " + document.activeElement.textContent.slice(0, 20)));
    }
    assert.ok(reached.has("budget") && [...reached].some((r) => r.startsWith("SUMMARY")) && [...reached].some((r) => r.includes("Explore")), [...reached].join("; "));
    await page.locator("details.line summary").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("details.line[open]");
    return page;
  },

  async "the contract's page copies a request"() {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${base}/docs#get-context`);
    await page.locator("section", { has: page.locator("#get-context") }).locator("button").click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl -sS "\$KITH_URL"'\/v1\/context\?/);
    return page;
  },

  async "a client of MCP shows the context"() {
    const page = await open();
    await page.route(`${base}/host`, (route) => route.fulfill({ contentType: "text/html", body: '<!doctype html><title>Host</title><script type="module" src="/host.js"></script>' }));
    await page.route(`${base}/host.js`, (route) => route.fulfill({ contentType: "text/javascript", path: process.env.KITH_HOST }));
    await page.goto(`${base}/host#${new URLSearchParams({ key, user })}`);
    const app = page.frameLocator("iframe");
    await app.locator(".line").first().waitFor();
    const shown = () => app.locator(".line:not(.cut) .text").allTextContents();
    const asked = (budget) => api("GET", `/v1/context?user_id=${user}&format=text&explain=true&max_tokens=${budget}`);
    assert.deepEqual(lines((await shown()).join("\n")), lines((await asked(1300)).receipt.text)); // the tool's own budget
    await app.locator("#budget").fill("400");
    const { receipt } = await asked(400);
    await app.locator(".line.cut").nth(receipt.left_out.length - 1).waitFor();
    assert.deepEqual(lines((await shown()).join("\n")), lines(receipt.text));
    await app.locator("details.line summary").first().click();
    await app.locator("dt >> text=Why").first().waitFor();
    assert.equal(await app.locator("a").count(), 0, "it leads nowhere");
    page.faults = page.faults.filter((f) => !f.includes("unsafe-eval")); // a library asks whether it may compile, and then does not
    return page;
  },

  async "accessibility: no screen has a fault of accessibility, or scrolls to the side"() {
    const screens = [
      ["", {}],
      ["context", { max_tokens: 900 }],
      ["explore", { q: "wedding", second: "words" }],
      ["node", { kind: "concept", key: `${user}/ask-before-cutting` }],
      ["graph", { kind: "person", key: `${user}/adaeze`, hops: 2 }],
      ["timeline", {}],
      ["workspace", { project: `${user}/project-belfry`, max_tokens: 800 }],
      ["chats", {}],
      ["care", {}],
      ["cypher", {}],
      ["team", {}],
    ];
    // Each scheme and each width once; with WIDTHS, each scheme at each width.
    const views = process.env.WIDTHS
      ? process.env.WIDTHS.split(",").flatMap((width) => [["light", Number(width)], ["dark", Number(width)]])
      : [["light", 400], ["dark", 1280]];
    for (const [colorScheme, width] of views) {
      // The page's policy forbids axe, which is a script in the page; other journeys keep the policy.
      const page = await signedIn("context", {}, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
      const addresses = screens.map(([screen, query]) => `${address(screen, query)}#key=${key}`);
      for (const to of [...addresses, `${base}/docs`]) {
        await page.goto(to);
        await page.waitForSelector("main h1");
        await settled(page);
        await page.addScriptTag({ content: axe });
        const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
        const where = `${new URL(to).pathname} ${colorScheme} ${width}`;
        assert.deepEqual(violations.map((v) => `${where}: ${v.id}: ${v.nodes.length} × ${v.nodes[0].html}: ${v.nodes[0].failureSummary}`), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} scrolls to the side`);
      }
      await page.context().close();
    }
    return null;
  },
};

let failed = false;
for (const [name, journey] of Object.entries(journeys)) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  const begin = Date.now();
  try {
    const page = await journey();
    if (page) {
      assert.deepEqual(page.faults, []);
      await page.context().close();
    }
    console.log(`ok ${name} (${Date.now() - begin} ms)`);
  } catch (failure) {
    console.log(`not ok ${name}: ${failure.stack}`);
    failed = true;
    break;
  }
}
await browser.close();
process.exit(failed ? 1 : 0);

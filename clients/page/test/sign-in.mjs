// A sign-in on the page at an OpenID Connect issuer. It starts an issuer and prints its URL; with a line on standard input, the URL of a
// Kith that accepts its tokens for the team TEAM, it signs in there.
//
//	TEAM, CHROMIUM; node clients/page/test/sign-in.mjs
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createInterface } from "node:readline/promises";
import Provider from "oidc-provider";
import { chromium } from "playwright-core";

const audience = "https://kith.example/api";
const server = createServer().listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
let life = 600; // of access tokens, in seconds

async function read() {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line;
  throw new Error("no URL of a Kith");
}

console.log(issuer);
const base = await read();

console.warn = console.info = () => {}; // what the issuer says of its settings for tests
const provider = new Provider(issuer, {
  clients: [{ client_id: "page", application_type: "native", token_endpoint_auth_method: "none", redirect_uris: [`${base}/ui/sign-in`], grant_types: ["authorization_code"], response_types: ["code"] }],
  clientBasedCORS: (_, origin) => origin === base,
  scopes: ["openid", "read", "write"],
  pkce: { required: () => true },
  features: {
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: "read write", audience, accessTokenFormat: "jwt", accessTokenTTL: life }),
    },
  },
  extraTokenClaims: () => ({ team_id: process.env.TEAM }),
});
server.on("request", provider.callback());

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const context = await browser.newContext();
const page = await context.newPage();
page.setDefaultTimeout(15_000);
const faults = [];
page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => /Content Security Policy/.test(message.text()) && message.location().url.startsWith(base) && faults.push(message.text()));

/** Signs in at the issuer's own pages. */
async function signIn(user) {
  await page.click("button >> text=Sign in at");
  await page.waitForURL(`${issuer}/**`);
  if (user) {
    await page.fill("input[name=login]", user);
    await page.fill("input[name=password]", "x");
    await page.click("button[type=submit]");
  }
  await page.click("button[type=submit] >> text=Continue"); // the consent
  await page.waitForURL(`${base}/ui/**`);
}

await page.goto(`${base}/ui/timeline?day=2026-11-01`);
await signIn("noor");
await page.waitForSelector("h1 >> text=Timeline"); // where the sign-in began
const at = new URL(page.url());
assert.deepEqual([at.pathname, at.searchParams.get("user"), at.searchParams.get("code")], ["/ui/timeline", "noor", null]);
assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length + document.cookie.length), 0, "nothing is kept");
console.log("ok sign in at an issuer");

await page.reload(); // the token was in memory only; the issuer still knows the user
await page.waitForSelector("input[name=key]");
life = 2;
await signIn();
await page.waitForSelector("h1 >> text=Timeline");
await page.waitForTimeout(2500);
await page.click("nav a >> text=Explore");
await page.fill("input[type=search]", "anything");
await page.keyboard.press("Enter");
await page.waitForSelector("input[name=key]");
console.log("ok a token that has ended leads back to the sign-in");

await page.goto(`${base}/ui/sign-in?code=stolen&state=made-up&iss=${encodeURIComponent(issuer)}`);
await page.waitForSelector(".problem >> text=The sign-in was not begun in this tab.");
await page.evaluate((verifier) => sessionStorage.setItem("kith.sign-in", JSON.stringify({ verifier, state: "mine", nonce: "n" })), "x".repeat(43));
await page.goto(`${base}/ui/sign-in?code=stolen&state=theirs&iss=${encodeURIComponent(issuer)}`);
await page.waitForSelector(".problem >> text=state");
console.log("ok an answer that was not asked for signs nobody in");

assert.deepEqual(faults, []);
await browser.close();
process.exit(0);

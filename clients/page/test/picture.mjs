// Makes docs/page.png: the Context screen of the demo's user, in a running Kith.
//
//	KITH_URL=… KITH_KEY=… CHROMIUM=/usr/bin/chromium node clients/page/test/picture.mjs
import { chromium } from "playwright-core";

const { KITH_URL: base = "http://127.0.0.1:8080", KITH_KEY: key, KITH_USER: user = "demo-noor", CHROMIUM: executablePath } = process.env;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1180, height: 1150 }, reducedMotion: "reduce" });
await page.goto(`${base}/ui/context?user=${user}&max_tokens=1400#key=${key}`);
await page.locator("details.line", { hasText: "Measure, then show somebody" }).locator("summary").click();
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: new URL("../../../docs/page.png", import.meta.url).pathname });
await browser.close();

// Runs the tests of the page: types first, then every file in one Chromium and against one server.
//
//   node run.mjs [NAME...]     test files whose names contain one of the words; all without one
//
// TABIYA names the program (target/debug/tabiya), CHROMIUM the browser; ONLY is a pattern for names of tests.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM, LAUNCH } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const words = process.argv.slice(2);
const files = readdirSync(path(".")).filter((name) => name.endsWith(".test.mjs"))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word))).map(path);

if (words.length === 0) {
  const { status } = spawnSync(process.execPath, [path("node_modules/typescript/bin/tsc"), "-p", path("../../crates/serve/web")], { stdio: "inherit" });
  console.log(status === 0 ? "types: no errors (tsc --checkJs)" : "types: errors (tsc --checkJs)");
  if (status !== 0) process.exit(1);
}
if (!CHROMIUM) {
  console.error("no Chromium: install it, or name one with CHROMIUM");
  process.exit(1);
}

const [browser, server] = await Promise.all([chromium.launchServer(LAUNCH), startServer()]);
process.env.BROWSER_ENDPOINT = browser.wsEndpoint();
process.env.SERVER_URL = server.url;
const begin = Date.now();
let [passed, failed] = [0, 0];
// An event for a file as a whole counts only if it fails: then it has no tests of its own that say why.
const isFile = (event) => files.includes(event.name);
const tests = run({ files, concurrency: 1, ...(process.env.ONLY && { testNamePatterns: [process.env.ONLY] }) });
tests.on("test:pass", (event) => { if (!isFile(event) && event.skip === undefined) passed += 1; });
tests.on("test:fail", (event) => { if (!isFile(event)) failed += 1; });
tests.compose(spec).pipe(process.stdout);
await new Promise((resolve) => tests.on("end", resolve));
const alive = server.isAlive();
await browser.close();
await server.kill();
if (!alive) {
  failed += 1;
  console.log("the server has ended during the tests");
}
console.log(`Browser: ${passed} tests passed, ${failed} failed (${Math.round((Date.now() - begin) / 1000)} s)`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

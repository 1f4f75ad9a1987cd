// What the page costs: bytes of the first view, and that nothing comes from elsewhere.

import assert from "node:assert/strict";
import { suite } from "./support/suite.mjs";

const test = suite();
const BUDGET = 300_000;

/** Opens a tab and counts the bytes of all answers, as they come over the wire. */
async function weigh(open, path) {
  const tab = await open({ path: "" });
  const { page } = tab;
  const devtools = await tab.context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  const hosts = new Set();
  devtools.on("Network.requestWillBeSent", ({ request }) => hosts.add(new URL(request.url).host));
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(`${page.url().split("#")[0]}?${Date.now()}${path}`);
  await tab.ready();
  await page.waitForLoadState("networkidle");
  return { bytes, hosts: [...hosts] };
}

test("the first view weighs less than 300 kB in all, and everything comes from the server", async ({ open, server }) => {
  const { bytes, hosts } = await weigh(open, "");
  assert.ok(bytes > 20_000 && bytes < BUDGET, `${bytes} bytes`);
  assert.deepEqual(hosts, [new URL(server.url).host]);
  console.log(`first view: ${bytes} bytes`);
});

test("the whole page, all views and dialogs, weighs less than 300 kB", async ({ open }) => {
  const tab = await open();
  const { page } = tab;
  const devtools = await tab.context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.reload();
  await tab.ready();
  await tab.view("analysis");
  await tab.view("paco");
  await tab.button("Rules").click();
  await tab.page.locator("dialog.rules").waitFor();
  await page.waitForLoadState("networkidle");
  assert.ok(bytes > 100_000 && bytes < BUDGET, `${bytes} bytes`);
  console.log(`all views: ${bytes} bytes`);
});

test("nothing moves while the page loads, and hovering or thinking shifts no layout", async ({ open }) => {
  const tab = await open();
  const shift = await tab.page.evaluate(() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!(/** @type {any} */ (entry).hadRecentInput)) sum += /** @type {any} */ (entry).value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 500);
  }));
  assert.ok(shift < 0.05, `layout shift ${shift}`);
});

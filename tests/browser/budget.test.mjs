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

/** Starts to add up layout shifts that no person has caused. */
const observe = (tab) => tab.page.evaluate(() => {
  Object.assign(window, { shift: 0 });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { hadRecentInput, value } = /** @type {any} */ (entry);
      if (!hadRecentInput) /** @type {any} */ (window).shift += value;
    }
  }).observe({ type: "layout-shift", buffered: true });
});
const shift = (tab) => tab.page.evaluate(() => /** @type {any} */ (window).shift);

test("nothing moves while the page loads, nor while the engine's lines change", async ({ open }) => {
  const tab = await open();
  await observe(tab);
  await tab.page.waitForTimeout(300);
  assert.ok(await shift(tab) < 0.05, `layout shift ${await shift(tab)} while the page loads`);
  const analysis = await open({ path: "#fen=r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R_w_KQkq_-_2_3" });
  const engine = analysis.page.getByRole("switch", { name: "Engine" });
  if (await engine.getAttribute("aria-checked") === "false") await engine.click();
  await analysis.reads("main .an-stats", /depth \d/);
  await analysis.page.waitForTimeout(700);
  await observe(analysis);
  await analysis.page.evaluate(() => Object.assign(window, { shift: 0 }));
  await analysis.page.waitForTimeout(2000);
  assert.ok(await shift(analysis) < 0.01, `layout shift ${await shift(analysis)} while the engine thinks`);
});

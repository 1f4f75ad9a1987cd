// How fast the page is, in numbers: `node measure.mjs`, with TABIYA naming a release build. Measured, not asserted:
// a busy machine is slow.

import { chromium } from "playwright-core";
import { LAUNCH } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";
import { Tab } from "./support/tab.mjs";

const ROUNDS = 5;
const browser = await chromium.launch(LAUNCH);
const server = await startServer();
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const print = (name, value, target) => console.log(`${name.padEnd(58)} ${value.padStart(12)}   ${target}`);

async function open(path = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const tab = new Tab(page, context);
  const begin = performance.now();
  await page.goto(server.url + path, { waitUntil: "commit" });
  await tab.ready();
  return { tab, page, context, milliseconds: performance.now() - begin };
}

// ---- the first view, and the first answer
const [views, paints, answers] = [[], [], []];
let bytes = 0;
for (let round = 0; round < ROUNDS; round++) {
  const { page, context, milliseconds } = await open();
  views.push(milliseconds);
  paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
  bytes = await page.evaluate(() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .reduce((sum, entry) => sum + /** @type {any} */ (entry).transferSize, 0));
  await context.close();
  // Opens the page and plays at once; the engine's answer ends the time.
  const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const fresh = await other.newPage();
  const tab = new Tab(fresh, other);
  const begin = performance.now();
  await fresh.goto(server.url, { waitUntil: "commit" });
  await tab.ready();
  await tab.reads("main .play-status", "Your move");
  await tab.click("e2");
  await tab.click("e4");
  await fresh.waitForFunction(() => document.querySelectorAll("main .play-moves button").length === 2, null, { polling: 10 });
  answers.push(performance.now() - begin);
  await other.close();
}
print("first view: bytes over the wire", `${bytes}`, "under 300000");
print("first view: first contentful paint", `${median(paints).toFixed(0)} ms`, "");
print("first view: board with pieces", `${median(views).toFixed(0)} ms`, "under 1000 ms");
print("page opened, first move made and answered", `${median(answers).toFixed(0)} ms`, "answered within 1000 ms of the opening");

// ---- the board reacts to a press, and follows a drag
{
  const { tab, page, context } = await open();
  await tab.newGame();
  await tab.status("White to move");
  await page.evaluate(() => {
    const times = /** @type {number[]} */ ([]);
    Object.assign(window, { times });
    // From the event's own time stamp to the frame after which its change is seen.
    document.addEventListener("pointerdown", (event) => {
      requestAnimationFrame(() => times.push(document.querySelector("main .selected, main [aria-selected=true]") ? performance.now() - event.timeStamp : NaN));
    }, true);
  });
  for (const square of ["e2", "d2", "g1", "b1", "c2", "f2", "h2", "a2"]) await tab.click(square);
  await page.waitForTimeout(100);
  const presses = await page.evaluate(() => /** @type {any} */ (window).times);
  print("press on a piece: frame that shows it", `${median(presses).toFixed(1)} ms`, "one frame, 16.7 ms");
  const { x, y } = await tab.center("e2");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => {
    const frames = /** @type {number[]} */ ([]);
    Object.assign(window, { frames, running: true });
    const step = (now) => {
      frames.push(now);
      if (/** @type {any} */ (window).running) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  for (let i = 0; i < 120; i++) await page.mouse.move(x + 150 * Math.sin(i / 10), y - 150 + 100 * Math.cos(i / 10));
  const rate = await page.evaluate(() => {
    Object.assign(window, { running: false });
    const { frames } = /** @type {any} */ (window);
    return (1000 * (frames.length - 1)) / (frames.at(-1) - frames[0]);
  });
  await page.mouse.up();
  print("dragging: frames a second", rate.toFixed(1), "60");
  await context.close();
}

// ---- the engine's lines
{
  const { tab, page, context } = await open("#fen=r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R_w_KQkq_-_2_3");
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  let lines = 0;
  devtools.on("Network.webSocketFrameReceived", ({ response }) => {
    if (response.payloadData.startsWith('{"type":"lines"')) lines += 1;
  });
  const engine = page.getByRole("switch", { name: "Engine" });
  if (await engine.getAttribute("aria-checked") === "false") await engine.click();
  for (const count of [1, 3, 5]) {
    await page.getByRole("combobox", { name: "Number of lines" }).selectOption(String(count));
    await tab.reads("main .an-stats", /depth/);
    await page.waitForTimeout(300);
    lines = 0;
    await page.waitForTimeout(5000);
    print(`engine with ${count} line${count > 1 ? "s" : ""}: updates a second`, (lines / 5).toFixed(1), "at least 10");
  }
  await context.close();
}
await browser.close();
await server.kill();

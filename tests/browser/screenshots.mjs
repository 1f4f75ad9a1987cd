// Makes the pictures of the page for the README and the book.
//
//   node screenshots.mjs [NAME...]     all pictures, or those named
//
// They are drawn by the program that TABIYA names, with the fonts of this machine, and quantized if pngquant is
// installed. The engine's output differs from run to run.

import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openBrowser } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/src/images/page/", import.meta.url));
const LARGEST = 110_000; // bytes

const OPERA = `[Event "Paris"]
[Date "1858.11.02"]
[White "Paul Morphy"]
[Black "Duke Karl / Count Isouard"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4?! { This is a weak move already. } ( 3... exd4 4. Nxd4 Nf6 5. Nc3 Be7 ( 5... g6 6. Be2 Bg7 )
6. Be2 O-O ) ( 3... Nd7 4. Bc4 c6 ) 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 ( 8. Qxb7 Qb4+ { trades the
queens } ) 8... c6 9. Bg5 b5? 10. Nxb5! cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7
16. Qb8+!! Nxb8 17. Rd8# 1-0`;
const SHILLING = `[Event "Cologne"]
[Date "1912.??.??"]
[White "Mühlock"]
[Black "Boris Kostić"]
[Result "0-1"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1`;
const UNIONS = "d2>d4 e7>e5 d4xe5 g8>f6 g1>f3 b8>c6 e2>e4 f6xe4 f1>b5 d7>d5 b5xc6 c8>g4 b1>d2 g4xf3";
const CHAIN = "rnbqkb1r/pp2pppp/5n2/2pa4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -";

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string} text */
const paste = (page, text) => page.evaluate((pasted) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", pasted);
  document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}, text);

/** Opens a game in the Analyse view and goes some moves into it. @param {Page} page @param {string} pgn @param {number} moves */
async function openGame(page, pgn, moves) {
  await paste(page, pgn);
  await page.locator("main .an-result").waitFor({ state: "attached" });
  for (let move = 0; move < moves; move++) await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(2500);
}

/** @param {Page} page @param {string} name */
const openTab = (page, name) => page.getByRole("tab", { name }).click();

/** A game against the engine, by its own hints. @param {Page} page */
async function playGame(page) {
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: "5+3" }).check({ force: true });
  await page.getByRole("button", { name: "Start the game" }).click();
  const moves = page.locator("main .play-moves button");
  for (let move = 0; move < 7; move++) {
    const before = await moves.count();
    await page.getByRole("button", { name: "Hint" }).click();
    const hint = await page.waitForFunction(() => /^Hint: (\S+)/.exec(document.querySelector("main .play-detail")?.textContent ?? "")?.[1]);
    await page.locator("main .move-input input").fill(String(await hint.jsonValue()));
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll("main .play-moves button").length === count, before + 2);
  }
  await page.evaluate(() => {
    /** @type {HTMLElement} */ (document.activeElement)?.blur();
    scrollTo(0, 0);
  });
  await page.waitForTimeout(1000);
}

/** @param {Page} page */
async function analyseGame(page) {
  await openGame(page, SHILLING, 0);
  await openTab(page, "Report");
  await page.getByRole("button", { name: "Analyse the game" }).click();
  await page.getByRole("button", { name: "Analyse again" }).waitFor({ timeout: 600_000 });
}

/** A game of Paco Ŝako, with its unions. @param {Page} page @param {string} text */
async function openPaco(page, text) {
  await paste(page, text);
  await page.waitForFunction(() => document.querySelector("main .part.black ~ .part.white, main .part.white ~ .part.black"));
}

/** @type {Record<string, { settings: object, dark?: boolean, view?: string, draw(page: Page): Promise<void> }>} */
const PICTURES = {
  play: { settings: DESKTOP, draw: playGame },
  analyse: { settings: DESKTOP, view: "analysis", draw: (page) => openGame(page, OPERA, 9) },
  report: { settings: DESKTOP, dark: true, view: "analysis", async draw(page) {
    await analyseGame(page);
    await page.locator("main .an-mistakes .an-move").first().click();
    await page.waitForTimeout(2000);
  } },
  learn: { settings: DESKTOP, view: "analysis", async draw(page) {
    await analyseGame(page);
    await page.locator("main .an-report").getByRole("button", { name: "White", exact: true }).click();
    await page.waitForTimeout(500);
    await page.getByRole("button", { name: "Show the move" }).click();
    await page.waitForTimeout(500);
  } },
  people: { settings: DESKTOP, view: "analysis", async draw(page) {
    await openGame(page, OPERA, 12);
    await openTab(page, "People");
    await page.waitForTimeout(2500);
  } },
  attention: { settings: DESKTOP, dark: true, view: "analysis", async draw(page) {
    await openGame(page, OPERA, 12);
    await openTab(page, "Attention");
    await page.getByRole("radio", { name: "bishop 2" }).click();
    await page.locator("main .board-grid [data-square=f3]").hover();
    await page.waitForTimeout(2000);
  } },
  paco: { settings: DESKTOP, view: "paco", draw: (page) => openPaco(page, UNIONS) },
  rules: { settings: DESKTOP, dark: true, view: "paco", async draw(page) {
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Chain", exact: true }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    for (let step = 0; step < 2; step++) {
      await page.getByRole("button", { name: "Next step" }).click();
      await page.waitForTimeout(500);
    }
  } },
  "phone-play": { settings: PHONE, draw: playGame },
  "phone-paco": { settings: PHONE, dark: true, view: `paco=${CHAIN.replaceAll(" ", "_")}`, async draw(page) {
    for (const square of ["d8", "d5"]) {
      await page.locator(`main .board-grid [data-square=${square}]`).tap();
      await page.waitForTimeout(500);
    }
  } },
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in PICTURES));
if (unknown) throw new Error(`no picture '${unknown}'; there are ${Object.keys(PICTURES).join(", ")}`);
mkdirSync(FOLDER, { recursive: true });
const [browser, server] = await Promise.all([openBrowser(), startServer()]);
try {
  for (const [name, { settings, dark = false, view = "play", draw }] of Object.entries(PICTURES)) {
    if (wanted.length && !wanted.includes(name)) continue;
    const context = await browser.newContext({ ...settings, colorScheme: dark ? "dark" : "light", reducedMotion: "no-preference" });
    const page = await context.newPage();
    await page.goto(`${server.url}#${view}`);
    await page.locator("main .occupant").first().waitFor();
    await draw(page);
    const path = `${FOLDER}${name}.png`;
    await page.screenshot({ path });
    await context.close();
    const { error } = spawnSync("pngquant", ["--force", "--strip", "--speed", "1", "--output", path, "128", path]);
    const { size } = statSync(path);
    console.log(`${name}.png: ${Math.round(size / 1000)} kB${error ? " (not quantized: no pngquant)" : ""}`);
    if (size > LARGEST) throw new Error(`${name}.png is larger than ${LARGEST / 1000} kB`);
  }
} finally {
  await browser.close();
  await server.kill();
}

// A tab as a person uses it: the board by mouse, touch and keys, and what is to be read on the page.

import assert from "node:assert/strict";

export class Tab {
  /**
   * @param {import("playwright-core").Page} page
   * @param {import("playwright-core").BrowserContext} context
   */
  constructor(page, context) {
    this.page = page;
    this.context = context;
    /** Errors of scripts, refused requests and violations of the content security policy. @type {string[]} */
    this.errors = [];
    page.on("pageerror", (error) => this.errors.push(`${error.stack ?? error}`));
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
  }

  assertNoErrors() {
    assert.deepEqual(this.errors, [], "the page has errors");
  }

  /** Waits until the board is there and the server has answered. */
  async ready() {
    await this.page.locator("main .board-grid [data-square=a1]").waitFor();
    await this.page.locator("main .board-grid [data-square]:not([aria-label$=empty])").first().waitFor();
  }

  /** @param {"play" | "analysis" | "paco"} name */
  async view(name) {
    await this.page.locator(`nav [data-view=${name}]`).click();
    await this.page.locator(`nav [data-view=${name}][aria-current=page]`).waitFor();
    await this.ready();
  }

  // ---- reading

  /** "e4, white knight". @param {string} square */
  label(square) {
    return this.page.locator(`main .board-grid [data-square=${square}]`).getAttribute("aria-label");
  }

  /**
   * Waits until the squares hold what is said: { e4: "white pawn", e2: "empty" }; more words may follow.
   * @param {Record<string, string>} squares
   */
  async sees(squares) {
    const expected = Object.entries(squares).map(([square, content]) => [square, `${square}, ${content}`]);
    await this.until(([list]) => list.every(([square, text]) => {
      const label = document.querySelector(`main .board-grid [data-square=${square}]`)?.getAttribute("aria-label") ?? "";
      return label === text || label.startsWith(`${text},`);
    }), [expected], `the board to show ${JSON.stringify(squares)}`);
  }

  /**
   * Waits until a function of the page is true.
   * @param {(argument: any) => unknown} condition
   * @param {any} argument
   * @param {string} what
   */
  async until(condition, argument, what) {
    try {
      await this.page.waitForFunction(condition, argument, { polling: 50 });
    } catch (error) {
      throw new Error(`waited in vain for ${what}`, { cause: error });
    }
  }

  /** Waits for an element whose text has the pattern. @param {string} selector @param {string | RegExp} pattern */
  async reads(selector, pattern) {
    const { source, flags } = pattern instanceof RegExp ? pattern : new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    await this.until(([query, text, options]) => [...document.querySelectorAll(query)]
      .some((element) => new RegExp(text, options).test(element.textContent ?? "")), [selector, source, flags], `${selector} to read ${pattern}`);
  }

  status(pattern) {
    return this.reads("main .play-status", pattern);
  }

  /** What the live region has said lately. */
  async said() {
    return this.page.locator("#announcer").innerText();
  }

  /** The moves of the list, without numbers. */
  async moves() {
    return this.page.locator("main .play-moves button").allTextContents();
  }

  /** Waits until the exported PGN has the patterns; the page requests it a moment after a change. @param {...RegExp} patterns */
  async exports(...patterns) {
    let pgn = "";
    for (let attempt = 0; attempt < 20; attempt++) {
      pgn = (await this.shared()).PGN ?? "";
      if (patterns.every((pattern) => pattern.test(pgn))) return;
      await this.page.waitForTimeout(200);
    }
    for (const pattern of patterns) assert.match(pgn, pattern);
  }

  /** Waits until a reload would find this text. @param {string} text */
  async saves(text) {
    await this.until(([part]) => (sessionStorage.getItem("tabiya-session") ?? "").includes(part), [text], `${text} to be saved`);
  }

  /** All that the share dialog offers, by label. @returns {Promise<Record<string, string>>} */
  async shared() {
    await this.button("Share").click();
    const fields = this.page.locator("dialog .share-field");
    await fields.first().waitFor();
    const entries = await fields.evaluateAll((list) => list.map((field) =>
      [field.querySelector("label")?.textContent ?? "", /** @type {any} */ (field.querySelector("input, textarea")).value]));
    await this.page.keyboard.press("Escape");
    await this.page.locator("dialog").waitFor({ state: "detached" });
    return Object.fromEntries(entries);
  }

  /** @param {string | RegExp} name */
  button(name) {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** The page in words, for a failed test. */
  async describe() {
    const text = await this.page.locator("body").innerText({ timeout: 2000 });
    return `--- ${this.page.url().slice(0, 200)}\n${text.slice(0, 1500)}\n${this.errors.join("\n")}`;
  }

  // ---- the board by mouse

  /** The center of a square. @param {string} square */
  async center(square) {
    return this.page.locator(`main .board-grid [data-square=${square}]`).evaluate((cell) => {
      const { left, top, width, height } = cell.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    });
  }

  /** @param {string} square @param {"left" | "right"} [button] */
  async click(square, button = "left") {
    const { x, y } = await this.center(square);
    await this.page.mouse.click(x, y, { button });
  }

  /** @param {string} from @param {string} to @param {"left" | "right"} [button] */
  async drag(from, to, button = "left") {
    const [start, end] = [await this.center(from), await this.center(to)];
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down({ button });
    await this.page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 3 });
    await this.page.mouse.move(end.x, end.y, { steps: 2 });
    await this.page.mouse.up({ button });
  }

  /**
   * A move of two clicks or a drag; waits until the piece has left its square.
   * @param {string} from
   * @param {string} to
   * @param {"click" | "drag"} [by]
   */
  async move(from, to, by = "click") {
    if (by === "drag") await this.drag(from, to);
    else {
      await this.select(from);
      await this.click(to);
    }
    await this.sees({ [from]: "empty" });
  }

  /** Clicks a piece until it is selected: a view that has just been opened may still move. @param {string} square */
  async select(square) {
    const cell = this.page.locator(`main .board-grid [data-square=${square}][aria-selected=true]`);
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.click(square);
      if (await cell.waitFor({ timeout: 3000 }).then(() => true, () => false)) return;
    }
    assert.fail(`${square} cannot be selected`);
  }

  // ---- the connection

  /** Lets messages of the server be held back. */
  async routeMessages() {
    /** @type {RegExp | null} */
    let last = null;
    let holding = false;
    let held = [];
    let send = () => {};
    await this.page.routeWebSocket(/\/ws/, (socket) => {
      const server = socket.connectToServer();
      send = (message) => socket.send(message);
      server.onMessage((message) => {
        if (holding) held.push(message);
        else socket.send(message);
        if (last?.test(String(message))) [holding, last] = [true, null];
      });
    });
    /** Holds back all that comes after the next message of this kind. @param {RegExp} pattern */
    this.stallAfter = (pattern) => {
      last = pattern;
    };
    this.resume = () => {
      holding = false;
      for (const message of held) send(message);
      held = [];
    };
  }

  // ---- touch

  /** @param {string} square */
  async tap(square) {
    const { x, y } = await this.center(square);
    await this.page.touchscreen.tap(x, y);
  }

  /** @param {string} from @param {string} to */
  async swipe(from, to) {
    this.devtools ??= await this.context.newCDPSession(this.page);
    const [start, end] = [await this.center(from), await this.center(to)];
    const touch = (type, point) => this.devtools.send("Input.dispatchTouchEvent", { type, touchPoints: point ? [point] : [] });
    await touch("touchStart", start);
    for (const part of [0.3, 0.6, 1]) await touch("touchMove", { x: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y) });
    await touch("touchEnd", null);
    // Chromium takes a tap that follows at once for a part of the same gesture.
    await this.page.waitForTimeout(350);
  }

  // ---- the keyboard

  /** Walks on the focused board by arrow keys and presses a square. @param {string} square */
  async pressSquare(square, flipped = false) {
    const focused = () => this.page.evaluate(() => document.activeElement?.getAttribute("data-square"));
    let at = await focused();
    assert.ok(at, "the focus is not on the board");
    const sign = flipped ? -1 : 1;
    const files = sign * (square.charCodeAt(0) - at.charCodeAt(0));
    const ranks = sign * (square.charCodeAt(1) - at.charCodeAt(1));
    for (let i = 0; i < Math.abs(files); i++) await this.page.keyboard.press(files > 0 ? "ArrowRight" : "ArrowLeft");
    for (let i = 0; i < Math.abs(ranks); i++) await this.page.keyboard.press(ranks > 0 ? "ArrowUp" : "ArrowDown");
    at = await focused();
    assert.equal(at, square);
    await this.page.keyboard.press("Enter");
  }

  // ---- games

  /**
   * Starts a game by the dialog.
   * @param {{ opponent?: "engine" | "model" | "person", level?: number, color?: "white" | "black", variant?: "chess" | "chess960" | "fen",
   *           number?: number, fen?: string, clock?: string, minutes?: number, increment?: number }} [game]
   */
  async newGame({ opponent = "person", color = "white", level, fen, number, variant = fen ? "fen" : "chess", clock = "none", minutes, increment } = {}) {
    await this.button("New game").click();
    const form = this.page.locator("dialog form");
    const choose = (name, value) => form.locator(`input[name=${name}][value="${value}"]`).check({ force: true });
    await choose("opponent", opponent);
    if (opponent !== "person") await choose("color", color);
    if (level !== undefined) await form.locator("select[name=level]").selectOption(String(level));
    await choose("variant", variant);
    if (fen) await form.locator("input[name=fen]").fill(fen);
    if (variant === "chess960") await form.locator("input[name=number]").fill(number === undefined ? "" : String(number));
    await choose("clock", clock);
    if (clock === "custom") {
      await form.locator("input[name=minutes]").fill(String(minutes));
      await form.locator("input[name=increment]").fill(String(increment));
    }
    await form.getByRole("button", { name: "Start the game" }).click();
    await form.waitFor({ state: "detached" });
  }

  /** Pastes a text as with Ctrl+V, outside of text fields. @param {string} text */
  async paste(text) {
    await this.page.evaluate((value) => {
      const data = new DataTransfer();
      data.setData("text/plain", value);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  }

  /** Drops a file on the page. @param {string} name @param {string} content */
  async drop(name, content) {
    await this.page.evaluate(([file, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], file, { type: "text/plain" }));
      for (const type of ["dragover", "drop"]) {
        document.querySelector("main")?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
    }, [name, content]);
  }
}

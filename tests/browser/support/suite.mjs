// What every test file needs: a browser, a server, and tabs that end with their test.

import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { Tab } from "./tab.mjs";

const TIMEOUT = 180_000;
/** For what must appear on the page: generous, since the machine may be busy. */
const PATIENCE = Number(process.env.PATIENCE ?? 60) * 1000;

/**
 * Prepares a test file; the returned function defines a test. It is given `open`, which opens a tab in a context of
 * its own (or one that is passed), and the server. A tab that `stalls` can hold back messages of the server.
 */
export function suite() {
  /** @type {import("playwright-core").Browser} */
  let browser;
  let server;
  before(async () => {
    browser = await openBrowser();
    server = process.env.SERVER_URL ? { url: process.env.SERVER_URL, kill: async () => {} } : await startServer();
  }, { timeout: TIMEOUT });
  after(async () => {
    await browser?.close();
    await server?.kill();
  });

  const attempt = async (body) => {
    /** @type {Tab[]} */
    const tabs = [];
    const contexts = new Set();
    const open = async (options = {}) => {
      const { path = "", url = server.url, context: given, stalls = false, ...settings } = options;
      const context = given ?? await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...settings });
      context.setDefaultTimeout(PATIENCE);
      contexts.add(context);
      const page = await context.newPage();
      const tab = new Tab(page, context);
      tabs.push(tab);
      if (stalls) await tab.routeMessages();
      await page.goto(url + path);
      await tab.ready();
      return tab;
    };
    try {
      await body({ open, server, browser });
      for (const tab of tabs) tab.assertNoErrors();
    } catch (error) {
      // What a person would have seen, beside the error.
      for (const tab of tabs) error.message += `\n${await tab.describe().catch(() => "(the tab is gone)")}`;
      throw error;
    } finally {
      for (const context of contexts) await context.close().catch(() => {});
    }
  };

  // A browser on a busy machine has rare orders of events. A test that fails
  // is retried once, with a message; two failures are a failure.
  return (name, body) => test(name, { timeout: 2 * TIMEOUT }, async () => {
    try {
      await attempt(body);
    } catch (error) {
      console.log(`SECOND TRY of "${name}": ${error.stack ?? error}`);
      await attempt(body);
    }
  });
}

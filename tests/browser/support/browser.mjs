// Chromium: one for all test files when `run.mjs` has started it, otherwise one per file.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path && existsSync(path));

export const LAUNCH = {
  executablePath: CHROMIUM,
  headless: true,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
  ],
};

export async function openBrowser() {
  const endpoint = process.env.BROWSER_ENDPOINT;
  return endpoint ? chromium.connect(endpoint) : chromium.launch(LAUNCH);
}

// The server under test: `tabiya play` as a person would start it.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const PROGRAM = process.env.TABIYA ?? fileURLToPath(new URL("../../../target/debug/tabiya", import.meta.url));

/** A port that nobody uses now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Starts the server and waits for the line with its address.
 * @param {{ port?: number, args?: string[] }} [options]
 */
export async function startServer({ port, args = [] } = {}) {
  const chosen = port ?? await freePort();
  const child = spawn(PROGRAM, ["play", "--no-browser", "--port", String(chosen), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const url = await new Promise((resolve, reject) => {
    const hear = (chunk) => {
      output += chunk;
      const found = /The page is at (\S+)/.exec(output);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", (error) => reject(new Error(`cannot start ${PROGRAM}: ${error.message}`)));
    child.on("exit", (code) => reject(new Error(`${PROGRAM} play ended with ${code}: ${output}`)));
  });
  return {
    url,
    port: chosen,
    pid: child.pid,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Ends it without notice, as a crash would. */
    kill() {
      return new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.on("exit", () => resolve());
        child.kill("SIGKILL");
      });
    },
  };
}

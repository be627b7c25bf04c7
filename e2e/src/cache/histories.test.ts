// The long run of the cache's model test: a hundred thousand histories, of which the unit tests try the first few thousand.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { promisify } from "node:util";

const suite = fileURLToPath(new URL("../../../packages/runtime/dist/cache/cache.model.test.js", import.meta.url));
const parts = 2;
const count = 100_000 / parts;

describe("a hundred thousand histories of the cache", () => {
  it("hold no violation", async () => {
    const runs = Array.from({ length: parts }, (_, part) => run(part * count));

    for (const text of await Promise.all(runs)) assert.match(text, /^# pass 2$/mu);
  });
});

/** Runs some of the histories in a process of its own. Rejects with what it printed when one goes wrong. */
async function run(from: number): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["--test-reporter=tap", suite], {
    env: { ...env, HOMEOSTAT_HISTORIES: String(count), HOMEOSTAT_HISTORIES_FROM: String(from) },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: Error & { stdout?: string }) => assert.fail(error.stdout ?? error.message));
  return stdout;
}

// The long version of the cache's model test. The unit tests run the first five thousand histories.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { join } from "node:path";
import { promisify } from "node:util";
import { volume } from "../../../harness/volume.ts";
import { repository } from "../../../harness/repository.ts";

const suite = join(repository, "packages/runtime/dist/cache/cache.model.test.js");
const parts = 2;
const total = volume({ sample: 20_000, full: 100_000 });
const count = total / parts;

describe(`${total} random histories of the cache`, () => {
  it("contain no violation", async () => {
    const runs = Array.from({ length: parts }, (_, part) => run(part * count));

    for (const text of await Promise.all(runs)) assert.match(text, /^# pass 2$/mu);
  });
});

/** Runs some of the histories in a child process. Rejects with its output on failure. */
async function run(from: number): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["--test-reporter=tap", suite], {
    env: { ...env, HOMEOSTAT_HISTORIES: String(count), HOMEOSTAT_HISTORIES_FROM: String(from) },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: Error & { stdout?: string }) => assert.fail(error.stdout ?? error.message));
  return stdout;
}

// The stories in which an operator dies, at all of their points: its own tests try only some.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Has an operator die at every point of its stories. There are so many of them. */
export async function dieEverywhere(folder: string, { stories }: { readonly stories: number }): Promise<void> {
  const file = fileURLToPath(new URL(`../../../${folder}/dist/reconcile/crash.test.js`, import.meta.url));
  // Otherwise the tests there would take this one for the one who runs them.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["--conditions=development", "--test-reporter=tap", file], {
    env: { ...env, CRASH_POINTS: "all" },
  });
  assert.match(stdout, new RegExp(String.raw`# pass ${stories}\n# fail 0\n`));
}

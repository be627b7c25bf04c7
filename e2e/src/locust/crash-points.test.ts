import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

describe("the Locust operator, dying at every request", () => {
  it("ends six stories as if it had not, and runs no load twice", async () => {
    const file = fileURLToPath(new URL("../../../operators/locust/dist/reconcile/crash.test.js", import.meta.url));
    // Otherwise the tests there would take this one for the one who runs them.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;

    const { stdout } = await run(process.execPath, ["--conditions=development", "--test-reporter=tap", file], {
      env: { ...env, CRASH_POINTS: "all" },
    });

    assert.match(stdout, /# pass 8\n# fail 0\n/);
  });
});

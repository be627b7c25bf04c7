// The crash scenarios of every operator, at all of their points. The operators' own tests try only some.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { repository } from "@homeostat/operator-testing/repository";
import { operators } from "./operators.ts";

const run = promisify(execFile);

describe("an operator that crashes at every request", () => {
  for (const [name, { crashScenarios }] of Object.entries(operators)) {
    it(`${name} ends ${crashScenarios} scenarios as if it had not crashed`, async () => {
      const file = fileURLToPath(new URL(`operators/${name}/dist/reconcile/crash.test.js`, repository));
      // Without this variable the tests of the other process would report to the runner of this one.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;

      const { stdout } = await run(process.execPath, ["--conditions=development", "--test-reporter=tap", file], {
        env: { ...env, CRASH_POINTS: "all" },
      });

      assert.match(stdout, new RegExp(String.raw`# pass ${crashScenarios}\n# fail 0\n`));
    });
  }
});

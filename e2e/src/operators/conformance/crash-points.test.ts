// Runs the crash scenarios of every operator with more crash points than its unit tests; with --full at all points.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { repository } from "@homeostat/operator-testing/repository";
import { isFull } from "../../harness/volume.ts";
import { operators } from "./operators.ts";

const run = promisify(execFile);
const pointsOfScenario = isFull() ? "all" : "10";

describe(`an operator that crashes (points per scenario: ${pointsOfScenario})`, () => {
  for (const [name, { crashScenarios }] of Object.entries(operators)) {
    it(`${name} ends ${crashScenarios} scenarios in the same state as without a crash`, async () => {
      const file = fileURLToPath(new URL(`operators/${name}/dist/reconcile/crash.test.js`, repository));
      // Without this variable, the tests of the child process would report to the test runner of this process.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;

      const { stdout } = await run(process.execPath, ["--conditions=development", "--test-reporter=tap", file], {
        env: { ...env, CRASH_POINTS: pointsOfScenario },
      });

      assert.match(stdout, new RegExp(String.raw`# pass ${crashScenarios}\n# fail 0\n`));
    });
  }
});

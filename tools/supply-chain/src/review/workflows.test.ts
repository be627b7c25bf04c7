import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readText, root } from "../repository.ts";
import { reviewWorkflow } from "./workflows.ts";

const good = `on: push
permissions:
  contents: read
jobs:
  check:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@${"a".repeat(40)} # v7.0.1
      - run: npm ci --ignore-scripts
`;

describe("the review of workflows", () => {
  it("accepts pinned actions, read permissions and installs without scripts", () => {
    assert.deepEqual(reviewWorkflow(good), []);
  });

  for (const [title, text, problem] of [
    [
      "runs code of pull requests with secrets",
      good.replace("on: push", "on: pull_request_target"),
      /pull_request_target/,
    ],
    ["has no permissions", good.replace(/permissions:\n.*\n/, ""), /permissions of the workflow/],
    [
      "has write permissions by default",
      good.replace("contents: read", "contents: write"),
      /permissions of the workflow/,
    ],
    ["has no timeout", good.replace(/ *timeout.*\n/, ""), /check: timeout-minutes is missing/],
    ["references an action by tag", good.replace(/@a+ # v7\.0\.1/, "@v7"), /must name a commit/],
    ["runs install scripts", good.replace(" --ignore-scripts", ""), /must have --ignore-scripts/],
    ["puts an expression into a script", good.replace("npm ci", "echo ${{ github.head_ref }}; npm ci"), /by env/],
  ] as const) {
    it(`rejects a workflow that ${title}`, () => {
      const problems = reviewWorkflow(text);

      assert.equal(problems.length, 1, problems.join("; "));
      assert.match(problems[0] ?? "", problem);
    });
  }

  const folder = ".github/workflows";
  for (const name of readdirSync(join(root, folder))) {
    it(`finds no problem in ${name}`, () => {
      assert.deepEqual(reviewWorkflow(readText(`${folder}/${name}`)), []);
    });
  }
});

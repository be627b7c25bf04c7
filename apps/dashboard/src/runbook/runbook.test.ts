import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createRunbook, parseRunbook } from "./runbook.ts";

const page = `## Conditions

| condition        | status and reason       | meaning              | action                    |
| ---------------- | ----------------------- | -------------------- | ------------------------- |
| \`Ready\`          | True \`Done\`             | all is well          |                           |
|                  | False \`A\`, Unknown \`B\`  | see [it](x.md#y)     | wait \\| retry             |
| \`One\`, \`Two\`     | False \`C\`               | both                 | none                      |

| event | type |
| ----- | ---- |
| \`E\`   | x    |

## Conditions of a Group

| condition | status and reason | meaning |
| --------- | ----------------- | ------- |
| \`Ready\`   | True \`Done\`       | joined  |
`;

describe("a runbook", () => {
  it("explains conditions by kind, type and reason", () => {
    const runbook = createRunbook(parseRunbook(page, "Site"));
    const explain = (kind: string, type: string, reason: string): unknown => {
      const entry = runbook.explain({ kind, type, reason });
      return entry === undefined ? undefined : [entry.meaning, entry.action];
    };

    assert.deepEqual(explain("Site", "Ready", "Done"), ["all is well", ""]);
    assert.deepEqual(explain("Site", "Ready", "B"), ["see it", "wait | retry"]);
    assert.deepEqual(explain("Site", "Two", "C"), ["both", "none"]);
    assert.deepEqual(explain("Group", "Ready", "Done"), ["joined", ""]);
    assert.equal(explain("Site", "Ready", "Other"), undefined);
    assert.equal(explain("Site", "E", "x"), undefined);
  });

  it("has entries for every operator", () => {
    for (const [name, kind] of [
      ["locust", "LocustTest"],
      ["tenant", "Tenant"],
      ["chronik", "ChronikCluster"],
      ["sandbox", "RouteGroup"],
    ] as const) {
      const text = readFileSync(new URL(`../../../../docs/reference/${name}-runbook.md`, import.meta.url), "utf8");

      const entries = parseRunbook(text, kind).filter((entry) => entry.kind === kind);

      assert.ok(entries.length > 5 && entries.every(({ meaning }) => meaning !== ""), `${name}: ${entries.length}`);
    }
  });
});

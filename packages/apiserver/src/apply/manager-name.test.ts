import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { managerName } from "./manager-name.ts";

describe("managerName", () => {
  for (const [given, userAgent, name] of [
    ["me", "kubectl/v1", "me"],
    ["", "kubectl/v1.36.0 (linux/amd64)", "kubectl"],
    ["", "My Program", "My Program"],
    ["", "a\u0000b\u200bc\n/1", "abc"],
    ["", "é".repeat(100), "é".repeat(64)],
    ["", "/1", ""],
    ["", "", ""],
  ] as const) {
    it(`of ${JSON.stringify(given)} with ${JSON.stringify(userAgent.slice(0, 20))} is ${JSON.stringify(name.slice(0, 20))}`, () => {
      assert.equal(managerName(given, userAgent), name);
    });
  }
});

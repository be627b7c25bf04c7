import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ownProcessReason, planProcesses } from "./plan-processes.ts";

describe("ownProcessReason", () => {
  it("names the reason for sources that start processes, measure or change their own", () => {
    assert.equal(ownProcessReason('import { spawn } from "node:child_process";'), "starts processes or threads");
    assert.equal(ownProcessReason("process.memoryUsage().heapUsed"), "measures the process");
    assert.equal(ownProcessReason("const seen = new WeakRef(value);"), "depends on garbage collection");
    assert.equal(ownProcessReason("process.chdir(folder);"), "changes the process");
  });

  it("is undefined for other sources", () => {
    assert.equal(ownProcessReason('import { describe, it } from "node:test";'), undefined);
  });
});

describe("planProcesses", () => {
  const files = ["a", "b", "c", "d", "e", "f"];

  it("starts files that need a process of their own first and divides the others evenly, in their order", () => {
    const plan = planProcesses(files, { isAlone: (file) => file === "c", filesMax: 3 });

    assert.deepEqual(plan, [["c"], ["a", "b", "d"], ["e", "f"]]);
  });

  it("gives every file a process of its own if one file per process is the limit", () => {
    const plan = planProcesses(files, { isAlone: () => false, filesMax: 1 });

    assert.deepEqual(
      plan,
      files.map((file) => [file]),
    );
  });

  it("plans nothing for no files", () => {
    assert.deepEqual(planProcesses([], { isAlone: () => false, filesMax: 3 }), []);
  });
});

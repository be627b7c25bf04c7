import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { readEmbeddedArguments } from "./arguments.ts";

describe("the arguments of embedded", () => {
  it("default to all parts on both servers", () => {
    const { parts, subjects } = readEmbeddedArguments([]);

    assert.deepEqual(parts, ["start", "throughput", "fan-out", "memory"]);
    assert.deepEqual(subjects, ["embedded", "real"]);
  });

  it("select parts and sizes", () => {
    const { parts, subjects, stored } = readEmbeddedArguments(["memory", "--stored", "100", "--only", "embedded"]);

    assert.deepEqual({ parts, subjects, stored }, { parts: ["memory"], subjects: ["embedded"], stored: 100 });
  });

  it("are rejected when they are invalid", () => {
    for (const words of [["speed"], ["--only", "both"], ["--n", "0"], ["--n", "x"], ["--foo"]])
      assert.throws(() => readEmbeddedArguments(words), UsageError);
  });
});

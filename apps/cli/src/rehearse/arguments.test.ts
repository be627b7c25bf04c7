import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { flag } from "@homeostat/operator";
import { readOperatorFlags, readRehearseArguments } from "./arguments.ts";

const defaults = {
  run: "rehearse",
  oldFile: undefined,
  newFile: "new.yaml",
  limitMs: 7_200_000,
  now: Date.UTC(2026, 0, 1),
  nodes: 3,
  times: { startMs: 20_000, stopMs: 5_000, drainMs: 30_000 },
  faults: { neverReady: [], neverDrains: false },
  operatorFlags: [],
  output: "text",
};

describe("the arguments of homeostat rehearse", () => {
  it("are one file for a creation, or two for a change", () => {
    assert.deepEqual(readRehearseArguments(["new.yaml"]), defaults);
    assert.deepEqual(readRehearseArguments(["-", "new.yaml"]), { ...defaults, oldFile: "-" });
  });

  it("have options for times, faults, settings and the output", () => {
    const times = [
      "--pod-ready",
      "1m",
      "--pod-stop",
      "0s",
      "--drain",
      "90s",
      "--for",
      "24h",
      "--at",
      "2026-03-01T02:00:00Z",
    ];
    const faults = ["--never-ready", "ingest", "--never-ready", "reg/image:2", "--never-drains"];
    const more = ["--nodes", "9", "--set", "cluster-domain=a=b", "-o", "json"];

    assert.deepEqual(readRehearseArguments([...times, ...faults, ...more, "old.yaml", "new.yaml"]), {
      ...defaults,
      oldFile: "old.yaml",
      limitMs: 86_400_000,
      now: Date.UTC(2026, 2, 1, 2),
      nodes: 9,
      times: { startMs: 60_000, stopMs: 0, drainMs: 90_000 },
      faults: { neverReady: ["ingest", "reg/image:2"], neverDrains: true },
      operatorFlags: [["cluster-domain", "a=b"]],
      output: "json",
    });
    assert.deepEqual(readRehearseArguments(["--help"]), { run: "help", of: "rehearse" });
  });

  const invalid: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["no file", [], /requires a file: \[OLD\] NEW/],
    ["three files", ["a", "b", "c"], /at most two files, got 3/],
    ["standard input twice", ["-", "-"], /Only one of the two files/],
    ["an unknown option", ["--fast", "a"], /--fast/],
    ["a duration without a unit", ["--pod-ready", "20", "a"], /--pod-ready is "20"; it must be a duration such as 90s/],
    ["a negative duration", ["--drain=-1s", "a"], /--drain is "-1s"/],
    ["a limit that is too long", ["--for", "9999h", "a"], /--for is "9999h".* to 720h/],
    ["a time that is none", ["--at", "tomorrow", "a"], /--at is "tomorrow"; it must be a time such as/],
    ["an unknown output", ["--output", "yaml", "a"], /--output is "yaml"; it must be text or json/],
    ["a setting without a value", ["--set", "domain", "a"], /it must be NAME=VALUE/],
    ["too many nodes", ["--nodes", "1000", "a"], /from 1 to 100/],
  ];
  for (const [what, words, problem] of invalid) {
    it(`reject ${what}`, () => {
      assert.throws(
        () => readRehearseArguments(words),
        (error: unknown) => error instanceof UsageError && problem.test(error.message),
      );
    });
  }

  it("set flags of the operator by their names, and list all problems", () => {
    const flags = { resyncSeconds: flag.integer({ default: 60, min: 1, max: 100, help: "" }) };

    assert.deepEqual(readOperatorFlags(flags, [["resync-seconds", "5"]]), { resyncSeconds: 5 });
    assert.throws(
      () =>
        readOperatorFlags(flags, [
          ["resync-seconds", "500"],
          ["colour", "red"],
        ]),
      /--set resync-seconds is "500"; it .*; --set colour: unknown setting; known are resync-seconds\./,
    );
  });
});

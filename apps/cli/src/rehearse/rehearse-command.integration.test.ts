import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readRehearseArguments } from "./arguments.ts";
import { rehearseCommand } from "./rehearse-command.ts";

const samples = fileURLToPath(new URL("../../samples/rehearse/", import.meta.url));
const invalidSample = new URL("../../../../operators/chronik/samples/invalid-storage.yaml", import.meta.url);

interface Run {
  readonly code: number;
  readonly lines: readonly string[];
  readonly progress: readonly string[];
}

/** Runs the command with a standard input. The paths of files in the output are relative to the samples. */
async function rehearse(words: readonly string[], { input = "", isInterrupted = false } = {}): Promise<Run> {
  const lines: string[] = [];
  const progress: string[] = [];
  const stopping = new AbortController();
  const args = readRehearseArguments(words);
  assert.ok(args.run === "rehearse");
  const code = await rehearseCommand(args, {
    print: (line) => void lines.push(...line.replaceAll(samples, "").split("\n")),
    printProgress: (line) => void progress.push(line),
    readInput: async () => {
      if (isInterrupted) stopping.abort();
      stopping.signal.throwIfAborted();
      return Promise.resolve(input);
    },
    signal: stopping.signal,
  });
  return { code, lines, progress };
}

describe("homeostat rehearse", () => {
  it("prints what happens when the sample is changed", async () => {
    const file = `${samples}output.txt`;

    const { code, lines } = await rehearse([`${samples}old.yaml`, `${samples}new.yaml`]);

    const text = `${lines.join("\n")}\n`;
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
    assert.equal(code, 0);
  });

  it("lists every problem of a manifest that the API server refuses, as JSON on request", async () => {
    const input = readFileSync(invalidSample, "utf8");

    const { code, lines, progress } = await rehearse(["-", "--output", "json"], { input });

    const value: unknown = JSON.parse(lines.join("\n"));
    assert.ok(typeof value === "object" && value !== null && "refusals" in value && "verdict" in value);
    const expected = input.split("\n").flatMap((line) => /^# {3}(spec\..*)$/.exec(line)?.[1] ?? []);
    assert.ok(Array.isArray(value.refusals));
    const refused: readonly { readonly field: string; readonly message: string }[] = value.refusals;
    assert.deepEqual(new Set(refused.map(({ field, message }) => `${field}: ${message}`)), new Set(expected));
    assert.equal(value.verdict, "refused");
    assert.equal(code, 1);
    assert.match(progress[0] ?? "", /^Rehearsing creation of standard input: ChronikCluster default\/bad/);
  });

  it("stops when it is interrupted while it waits for standard input", async () => {
    const { code, lines } = await rehearse(["-"], { isInterrupted: true });

    assert.deepEqual([code, lines], [130, []]);
  });

  it("exits with 2 if a file does not exist or describes another cluster", async () => {
    await assert.rejects(rehearse(["missing.yaml"]), {
      code: "USAGE",
      message: "Cannot read missing.yaml: it does not exist.",
    });
    const input = readFileSync(`${samples}old.yaml`, "utf8").replace("name: events", "name: other");
    await assert.rejects(rehearse(["-", `${samples}new.yaml`], { input }), {
      code: "USAGE",
      message: /metadata\.name is other in standard input and events in .*new\.yaml/,
    });
    const bin = fileURLToPath(new URL("../../bin/homeostat.js", import.meta.url));
    const code = await new Promise((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: "" };
      execFile(process.execPath, [bin, "rehearse", "missing.yaml"], { env }, (error) => resolve(error?.code));
    });
    assert.equal(code, 2);
  });
});

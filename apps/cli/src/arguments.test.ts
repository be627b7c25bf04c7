import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readArguments } from "./arguments.ts";
import { UsageError } from "./usage-error.ts";

const usual = {
  run: "cluster",
  data: undefined,
  fsync: true,
  port: undefined,
  host: undefined,
  isOpenToNetwork: false,
  kubeconfig: undefined,
  parts: "all",
  nodes: 1,
  isVerbose: false,
  command: [],
};

describe("the command line", () => {
  it("starts a usual cluster when nothing else is said", () => {
    assert.deepEqual(readArguments(["cluster"]), usual);
  });

  it("takes every option", () => {
    const words = ["--data", "d", "--no-fsync", "--port", "6443", "--host", "::1", "--open-to-network", "--kubeconfig"];
    const more = ["k", "--api-only", "--nodes", "3", "--verbose"];

    assert.deepEqual(readArguments(["cluster", ...words, ...more]), {
      ...usual,
      data: "d",
      fsync: false,
      port: 6443,
      host: "::1",
      isOpenToNetwork: true,
      kubeconfig: "k",
      parts: "api",
      nodes: 3,
      isVerbose: true,
    });
  });

  it("leaves everything after two dashes to the command", () => {
    const read = readArguments(["cluster", "--nodes", "2", "--", "kubectl", "get", "--help", "--", "x"]);

    assert.deepEqual(read, { ...usual, nodes: 2, command: ["kubectl", "get", "--help", "--", "x"] });
  });

  it("shows help where it is asked for, and where nothing is asked for", () => {
    for (const words of [[], ["help"], ["--help"], ["-h"]]) {
      assert.deepEqual(readArguments(words), { run: "help", of: "homeostat" });
    }
    assert.deepEqual(readArguments(["cluster", "--help"]), { run: "help", of: "cluster" });
    assert.deepEqual(readArguments(["assets", "--help"]), { run: "help", of: "assets" });
  });

  it("tells where the assets are, and takes no options for it", () => {
    assert.deepEqual(readArguments(["assets"]), { run: "assets" });
    assert.throws(() => readArguments(["assets", "--all"]), UsageError);
  });

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["a command that is none", ["clutser"], /no command "clutser"/],
    ["an option that is none", ["cluster", "--colour"], /--colour/],
    ["a word too many", ["cluster", "now"], /now/],
    ["a port that is none", ["cluster", "--port", "http"], /--port is "http"; it must be a whole number/],
    ["a port that is too large", ["cluster", "--port", "70000"], /from 0 to 65535/],
    ["too many nodes", ["cluster", "--nodes", "1000"], /from 0 to 100/],
    ["an option without its value", ["cluster", "--data"], /--data/],
    ["no fsync of nothing", ["cluster", "--no-fsync"], /--data/],
  ];
  for (const [what, words, message] of wrong) {
    it(`refuses ${what}, and says so`, () => {
      assert.throws(
        () => readArguments(words),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { readArguments } from "./arguments.ts";

const defaults = {
  run: "cluster",
  data: undefined,
  fsync: true,
  port: undefined,
  host: undefined,
  isOpenToNetwork: false,
  kubeconfig: undefined,
  auditLogPath: undefined,
  parts: "all",
  nodes: 1,
  isVerbose: false,
  command: [],
};

describe("the command line", () => {
  it("uses the defaults without options", () => {
    assert.deepEqual(readArguments(["cluster"]), defaults);
  });

  it("parses every option", () => {
    const words = ["--data", "d", "--no-fsync", "--port", "6443", "--host", "::1", "--open-to-network", "--kubeconfig"];
    const more = ["k", "--audit-log-path", "a", "--api-only", "--nodes", "3", "--verbose"];

    assert.deepEqual(readArguments(["cluster", ...words, ...more]), {
      ...defaults,
      data: "d",
      fsync: false,
      port: 6443,
      host: "::1",
      isOpenToNetwork: true,
      kubeconfig: "k",
      auditLogPath: "a",
      parts: "api",
      nodes: 3,
      isVerbose: true,
    });
  });

  it("passes everything after -- to the command", () => {
    const read = readArguments(["cluster", "--nodes", "2", "--", "kubectl", "get", "--help", "--", "x"]);

    assert.deepEqual(read, { ...defaults, nodes: 2, command: ["kubectl", "get", "--help", "--", "x"] });
  });

  it("shows help on request and without a command", () => {
    for (const words of [[], ["help"], ["--help"], ["-h"]]) {
      assert.deepEqual(readArguments(words), { run: "help", of: "homeostat" });
    }
    assert.deepEqual(readArguments(["cluster", "--help"]), { run: "help", of: "cluster" });
    assert.deepEqual(readArguments(["assets", "--help"]), { run: "help", of: "assets" });
    assert.deepEqual(readArguments(["dashboard", "--help"]), { run: "help", of: "dashboard" });
  });

  it("parses dashboard and its options", () => {
    const none = { run: "dashboard", kubeconfig: undefined, context: undefined, port: 0 };

    assert.deepEqual(readArguments(["dashboard"]), none);
    assert.deepEqual(readArguments(["dashboard", "--kubeconfig", "k", "--context", "c", "--port", "8080"]), {
      run: "dashboard",
      kubeconfig: "k",
      context: "c",
      port: 8080,
    });
    for (const words of [["--port", "x"], ["--kubeconfig", ""], ["word"], ["--host", "a"]])
      assert.throws(() => readArguments(["dashboard", ...words]), UsageError);
  });

  it("parses assets and rejects options for it", () => {
    assert.deepEqual(readArguments(["assets"]), { run: "assets" });
    assert.throws(() => readArguments(["assets", "--all"]), UsageError);
  });

  const invalid: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["an unknown command", ["clutser"], /Unknown command "clutser"/],
    ["an unknown option", ["cluster", "--colour"], /--colour/],
    ["an unexpected argument", ["cluster", "now"], /now/],
    ["a port that is not a number", ["cluster", "--port", "http"], /--port is "http"; it must be an integer/],
    ["a port that is too large", ["cluster", "--port", "70000"], /from 0 to 65535/],
    ["too many nodes", ["cluster", "--nodes", "1000"], /from 0 to 100/],
    ["an option without its value", ["cluster", "--data"], /--data/],
    ["--no-fsync without --data", ["cluster", "--no-fsync"], /--no-fsync requires --data/],
  ];
  for (const [what, words, message] of invalid) {
    it(`rejects ${what}`, () => {
      assert.throws(
        () => readArguments(words),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { readArguments } from "./arguments.ts";

describe("the arguments of npm start", () => {
  it("default to an embedded cluster with samples", () => {
    assert.deepEqual(readArguments([]), {
      help: false,
      version: false,
      kubeconfig: undefined,
      context: undefined,
      port: undefined,
      dashboardPort: undefined,
      namespace: "homeostat-samples",
      hasSamples: true,
      isOnce: false,
      isVerbose: false,
    });
  });

  it("include every option", () => {
    const words = ["--kubeconfig", "k", "--context=c", "--namespace", "n", "--no-samples", "--verbose"];

    const args = readArguments(words);

    assert.deepEqual(
      [args.kubeconfig, args.context, args.namespace, args.hasSamples, args.isVerbose],
      ["k", "c", "n", false, true],
    );
    assert.equal(readArguments(["--port", "6443"]).port, 6443);
    assert.equal(readArguments(["--dashboard-port", "8080"]).dashboardPort, 8080);
    assert.equal(readArguments(["--once"]).isOnce, true);
    assert.equal(readArguments(["-h"]).help, true);
    assert.equal(readArguments(["--version"]).version, true);
  });

  for (const [words, problem] of [
    [["--prot", "1"], /prot.* See npm start -- --help/s],
    [["word"], /word/],
    [["--port", "70000"], /--port is "70000"; it must be an integer from 0 to 65535/],
    [["--port", "1e3"], /--port is "1e3"/],
    [["--port", "1", "--kubeconfig", "k"], /--port .* cannot be combined with --kubeconfig/],
    [["--context", "c"], /--context requires --kubeconfig FILE/],
    [["--once", "--no-samples"], /--once waits for the samples/],
    [["--kubeconfig", ""], /must be the path of a file/],
    [["--namespace", "Big_Name"], /--namespace is "Big_Name"/],
  ] satisfies [string[], RegExp][]) {
    it(`reject ${words.join(" ")}`, () => {
      assert.throws(
        () => readArguments(words),
        (error) => error instanceof UsageError && problem.test(error.message),
      );
    });
  }
});

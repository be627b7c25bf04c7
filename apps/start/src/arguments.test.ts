import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readArguments } from "./arguments.ts";
import { UsageError } from "./usage-error.ts";

describe("the command line of npm start", () => {
  it("asks for a cluster of our own with samples when it is empty", () => {
    assert.deepEqual(readArguments([]), {
      help: false,
      kubeconfig: undefined,
      context: undefined,
      port: undefined,
      namespace: "homeostat-samples",
      hasSamples: true,
      isOnce: false,
      isVerbose: false,
    });
  });

  it("takes every option", () => {
    const words = ["--kubeconfig", "k", "--context=c", "--namespace", "n", "--no-samples", "--verbose"];

    const wanted = readArguments(words);

    assert.deepEqual(
      [wanted.kubeconfig, wanted.context, wanted.namespace, wanted.hasSamples, wanted.isVerbose],
      ["k", "c", "n", false, true],
    );
    assert.equal(readArguments(["--port", "6443"]).port, 6443);
    assert.equal(readArguments(["--once"]).isOnce, true);
    assert.equal(readArguments(["-h"]).help, true);
  });

  for (const [words, problem] of [
    [["--prot", "1"], /prot.* See npm start -- --help/s],
    [["word"], /word/],
    [["--port", "70000"], /--port is "70000"; it must be a whole number from 0 to 65535/],
    [["--port", "1e3"], /--port is "1e3"/],
    [["--port", "1", "--kubeconfig", "k"], /--port is for a cluster that is started here/],
    [["--context", "c"], /say which with --kubeconfig FILE/],
    [["--once", "--no-samples"], /--once waits for the samples/],
    [["--kubeconfig", ""], /must name a file/],
    [["--namespace", "Big_Name"], /--namespace is "Big_Name"/],
  ] satisfies [string[], RegExp][]) {
    it(`refuses ${words.join(" ")}`, () => {
      assert.throws(
        () => readArguments(words),
        (error) => error instanceof UsageError && problem.test(error.message),
      );
    });
  }
});

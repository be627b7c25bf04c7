import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench } from "../testing/bench.fixture.test.ts";

describe("an operator for many namespaces", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("works in all twelve of them, and gives Node nothing to warn of", async () => {
    const warnings: string[] = [];
    const note = ({ stack = "" }: Error): void => void warnings.push(stack);
    process.on("warning", note);
    const namespaces: string[] = [];
    for (let count = 0; count < 12; count += 1) namespaces.push(await bench.namespace());
    const [first = "", ...more] = namespaces;
    const operator = await bench.run(first, { more });

    for (const namespace of namespaces) await bench.create(namespace, "a");
    for (const namespace of namespaces) await bench.phase(namespace, "a", "Running");
    await operator.stop();
    // Node warns in a turn of its own.
    await bench.pass(1_000);
    process.off("warning", note);

    assert.deepEqual(warnings, []);
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error" || level === "warn"),
      [],
    );
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";
import { Bench } from "../testing/bench.ts";

describe("an operator for many namespaces", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("reconciles tests in twelve namespaces without warnings of Node", async () => {
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
    // Node emits warnings asynchronously.
    await bench.pass(1_000);
    process.off("warning", note);

    assert.deepEqual(warnings, []);
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error" || level === "warn"),
      [],
    );
  });
});

describe("an operator whose own namespace does not exist", () => {
  it("logs the missing namespace once and starts when it is created", async () => {
    await using bench = await Bench.start({ parts: "api" });
    const namespace = await bench.namespace();
    const { settings } = readSettings({ LIVE_STATS_ENABLED: "false" });
    await using operator = await bench.runOperator({
      operator: (random) => locustOperator({ settings, clock: bench.operatorClock, random }),
      run: { leaderElect: true, namespace: "absent", watchNamespaces: [namespace] },
      isCounted: () => false,
    });
    await bench.create(namespace, "a");
    await bench.pass(9_000);
    const problems = operator.lines.filter(({ level }) => level === "error" || level === "warn");
    const early = await bench.get(namespace, "a");

    const metadata = { name: "absent" };
    await bench.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
    await bench.phase(namespace, "a", "Running");

    assert.deepEqual(
      problems.map(({ message, namespace: missing, create, setting }) => [message, missing, create, setting]),
      [
        [
          "Namespace of this program does not exist, retrying",
          "absent",
          "kubectl create namespace absent",
          "--namespace",
        ],
      ],
    );
    assert.equal(early.status?.phase, undefined);
  });
});

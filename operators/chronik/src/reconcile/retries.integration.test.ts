import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import type { Fault, SentRequest } from "@homeostat/operator-testing";
import { Bench, conditionOf } from "../testing/bench.ts";

/** The tests run in order on one cluster. */
describe("a failed reconcile", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  let fault: ((sent: SentRequest) => Fault | undefined) | undefined;
  let beforeCall: (() => void) | undefined;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run({ fault: (sent) => fault?.(sent), beforeCall: () => beforeCall?.() });
    await bench.create("one", { controllers: 1, ingestNodes: 1 });
    await bench.running("one");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  /** Lets writes of a path fail, and returns the times at which the operator tries them. */
  const failing = (path: string, status: number): readonly number[] => {
    const times: number[] = [];
    fault = ({ method, path: sent }) => {
      if (method === "GET" || !sent.includes(path)) return undefined;
      times.push(bench.clock.now());
      return status;
    };
    return times;
  };

  /** Checks the seconds between attempts. Steps of the clock make them a little longer. */
  const assertIntervals = (times: readonly number[], [min, max]: readonly [number, number]): void => {
    const seconds = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1_000);
    assert.ok(seconds.length > 0, "no second attempt");
    for (const each of seconds) assert.ok(each >= min && each <= max + stepSeconds, `${each} s between attempts`);
  };
  const stepSeconds = 10;
  const pass = async (seconds: number): Promise<void> => bench.pass(seconds * 1_000, seconds / stepSeconds);

  it("is repeated after 30 to 60 s while the API server fails, with the same phase and pods", async () => {
    const uids = await bench.uids("one");
    const times = failing("/services/one-ingest-bootstrap", 503);
    await bench.change("one", { network: { serviceAnnotations: { "example.com/late": "yes" } } });
    const failed = await bench.waitFor("one", ({ status }) => status.lastError !== undefined);
    await pass(120);
    const { phase } = (await bench.get("one")).status;
    fault = undefined;
    const running = await bench.running("one");

    assertIntervals(times, [30, 60]);
    assert.equal(failed.status.lastError?.class, "Transient");
    assert.equal(phase, "Running");
    assert.equal(running.status.lastError, undefined);
    assert.deepEqual(await bench.uids("one"), uids);
    const errors = operator.metric("chronik_operator_errors_total", { class: "Transient", reason: "ServerError" }) ?? 0;
    assert.equal(errors, times.length);
  });

  it("is repeated after 5 to 10 minutes while a permission is missing, and the cluster recovers by itself", async () => {
    const times = failing("/statefulsets/one-ingest", 403);
    await bench.change("one", { config: { ingest: { forbidden: "yes" } } });
    const failed = await bench.phase("one", "Failed");
    await pass(650);
    fault = undefined;
    const running = await bench.until(
      "it runs",
      async () => {
        const cluster = await bench.get("one");
        return cluster.status.phase === "Running" && cluster;
      },
      12,
    );

    assertIntervals(times, [300, 600]);
    assert.equal(failed.status.lastError?.reason, "Forbidden");
    assert.equal(running.status.lastError, undefined);
  });

  it("is repeated after 2 minutes when the operator itself fails, whose error the status does not quote", async () => {
    const times = new Set<number>();
    beforeCall = () => {
      times.add(bench.clock.now());
      throw new Error("an error of the operator itself");
    };
    await bench.change("one", { config: { common: { broken: "yes" } } });
    const failed = await bench.waitFor("one", ({ status }) => status.lastError !== undefined);
    await pass(250);
    beforeCall = undefined;
    const running = await bench.running("one");

    assertIntervals([...times], [120, 120]);
    assert.equal(failed.status.lastError?.class, "Unknown");
    assert.equal(failed.status.lastError.reason, "Unexpected");
    assert.doesNotMatch(failed.status.lastError.message, /operator itself/);
    assert.notEqual(failed.status.phase, "Failed");
    assert.equal(running.status.lastError, undefined);
  });

  it("of a spec that only the API server can judge changes nothing, and names all its problems", async () => {
    const spread = (maxSkew: number) => [
      { maxSkew, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" as const, labelSelector: {} },
    ];
    await bench.create("odd", { controllers: 1, ingestNodes: 1, topologySpreadConstraints: spread(0) });
    const failed = await bench.phase("odd", "Failed");
    await bench.pass(650_000, 10);
    const objects = await bench.objects("odd");
    await bench.change("odd", { topologySpreadConstraints: spread(1) });
    await bench.running("odd");
    const { metadata } = await bench.object(StatefulSet, "odd-ingest");
    await bench.change("odd", { topologySpreadConstraints: spread(-1), config: { common: { also: "changed" } } });
    const again = await bench.phase("odd", "Failed");

    assert.match(conditionOf(failed, "SpecValid") ?? "", /^False ValidationFailed: StatefulSet: .*maxSkew/);
    assert.deepEqual(objects, []);
    assert.match(conditionOf(again, "SpecValid") ?? "", /^False ValidationFailed: StatefulSet: .*maxSkew/);
    assert.equal((await bench.object(StatefulSet, "odd-ingest")).metadata.resourceVersion, metadata.resourceVersion);
    assert.equal((await bench.object(ConfigMap, "odd-config")).data?.["extra.also"], undefined);
  });

  it("of one operator does not matter to another one: two create every object once", async () => {
    const second = await bench.run();
    await bench.create("three", { controllers: 1, ingestNodes: 1 });
    await bench.running("three");
    await second.stop();

    const both = await bench.objects("three");
    assert.deepEqual(
      both.map((object) => object.replace("three", "one")),
      await bench.objects("one"),
    );
    assert.equal((await bench.claims("three")).length, 2);
  });
});

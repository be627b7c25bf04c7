import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import type { Fault, SentRequest } from "@homeostat/operator-testing";
import { annotations } from "../api/annotations.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

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

  it("is repeated after 5 to 10 minutes while another owner has a needed Service, and adopts it once that is allowed", async () => {
    const key = { namespace, name: "two-ingest" };
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: key,
      spec: { clusterIP: "None", selector: { app: "other" }, ports: [{ port: 9092 }] },
    });
    await bench.create("two", { controllers: 1, ingestNodes: 1 });
    const failed = await bench.phase("two", "Failed");
    // From now on, this Service is the only one that is missing.
    const times: number[] = [];
    fault = ({ method, path }) => {
      if (method === "POST" && path.split("?")[0]?.endsWith("/services") === true) times.push(bench.clock.now());
      return undefined;
    };
    // Events of the pods that start now repeat it earlier, at most every 5 s.
    await pass(60);
    const early = [...times];
    await pass(1_300);
    const untouched = await bench.object(Service, "two-ingest");
    const merge = { metadata: { annotations: { [annotations.adopt]: "two" } } };
    await bench.client.patch(Service, key, { merge });
    await pass(620);
    fault = undefined;
    const adopted = await bench.object(Service, "two-ingest");

    assert.equal(failed.status.lastError?.reason, "ResourceConflict");
    assert.equal(failed.status.lastError.class, "Permanent");
    for (const [index, time] of early.entries())
      assert.ok(index === 0 || time - (early[index - 1] ?? 0) >= 4_500, early.join());
    assertIntervals(times.slice(early.length - 1), [300, 600]);
    assert.deepEqual(untouched.spec?.selector, { app: "other" });
    assert.equal((await bench.get("two")).status.phase, "Running");
    assert.equal((await bench.get("two")).status.lastError, undefined);
    assert.equal(adopted.metadata.uid, untouched.metadata.uid);
    assert.equal(adopted.metadata.ownerReferences?.[0]?.name, "two");
    assert.equal(adopted.spec?.selector?.["app.kubernetes.io/component"], "ingest");
  });
});

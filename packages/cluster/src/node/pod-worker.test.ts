import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "@homeostat/client";
import { apiErrorFrom, applyMergePatch, FakeClock, isRecord, SeededRandom } from "@homeostat/core";
import type { Pod, PodStatus } from "@homeostat/kubernetes/core/v1";
import { silentLogger } from "@homeostat/runtime";
import { httpEcho } from "../models/http-echo.ts";
import { configOf, container, podOf } from "../testing/machine-bench.ts";
import { defaultDelays } from "./machine-step.ts";
import { Network } from "./network.ts";
import { PodWorker } from "./pod-worker.ts";
import { readScripts, scriptAnnotation } from "./script.ts";

/** One pod and its worker, with a server that records the requests it gets. */
class WorkerBench {
  readonly clock = new FakeClock();
  readonly network = new Network();
  readonly statuses: PodStatus[] = [];
  readonly events: string[] = [];
  readonly deletions: unknown[] = [];
  failures = 0;
  isDeleted = false;
  requests = 0;
  readonly worker: PodWorker;
  #pod: Pod;

  constructor(pod: Pod) {
    this.#pod = pod;
    const scripts = readScripts(pod.metadata.annotations?.[scriptAnnotation]);
    this.worker = new PodWorker(pod, {
      client: {
        patch: (_type: unknown, _name: unknown, { strategic }: { strategic: { status: Record<string, unknown> } }) =>
          this.#patch(strategic.status),
        delete: (_type: unknown, _name: unknown, options: { gracePeriodSeconds: number; preconditions: unknown }) => {
          this.deletions.push([options.gracePeriodSeconds, options.preconditions]);
          return Promise.resolve({ wasFound: true });
        },
      } as unknown as Client,
      clock: this.clock,
      random: new SeededRandom(1),
      log: silentLogger,
      events: { record: (_pod, { reason }) => void this.events.push(reason) },
      network: this.network,
      models: [httpEcho, { name: "broken", runs: () => false, start: () => assert.fail("no way") }],
      settings: {
        ip: "10.0.0.2",
        hostIP: "10.1.0.1",
        delays: defaultDelays,
        random: new SeededRandom(1),
        config: configOf({}),
        images: new Set(["app:1", "busybox"]),
        scriptOf: (name, isInit) => scripts.for(name, isInit),
      },
      logCharactersMax: 10_000,
      signal: new AbortController().signal,
    });
    this.worker.start();
  }

  get phases(): string[] {
    return this.statuses.map(({ phase, containerStatuses }) => {
      const { waiting, running, terminated } = containerStatuses?.[0]?.state ?? {};
      return `${phase ?? ""} ${waiting?.reason ?? (running === undefined ? `${terminated?.exitCode ?? "?"}` : "running")}`;
    });
  }

  delete(graceSeconds: number): void {
    const metadata = {
      ...this.#pod.metadata,
      deletionTimestamp: "2026-01-01T00:00:30Z",
      deletionGracePeriodSeconds: graceSeconds,
    };
    this.worker.update({ ...this.#pod, metadata });
  }

  async #patch(status: Record<string, unknown>): Promise<unknown> {
    this.requests += 1;
    if (this.isDeleted) throw apiErrorFrom({ status: 404 });
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("server unavailable");
    }
    const merged = applyMergePatch({}, status);
    if (isRecord(merged)) this.statuses.push(merged);
    return this.#pod;
  }
}

describe("PodWorker in virtual time", () => {
  it("runs a command to its end and keeps its output", async () => {
    const pod = podOf({
      restartPolicy: "Never",
      containers: [
        container("main", {
          image: "busybox",
          imagePullPolicy: "IfNotPresent",
          args: ["sh", "-c", "echo hi; sleep 3600; exit 2"],
        }),
      ],
    });
    const bench = new WorkerBench(pod);
    await bench.clock.advance(4_000_000);

    assert.deepEqual(
      [...new Set(bench.phases)],
      ["Pending ContainerCreating", "Running running", "Running 2", "Failed 2"],
    );
    const lines = bench.worker.logsOf("main")?.current.since(0);
    assert.deepEqual(
      lines?.map(({ text }) => text),
      ["hi"],
    );
    await bench.worker.dispose();
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });

  it("keeps the output of the previous run", async () => {
    const bench = new WorkerBench(
      podOf({}, { annotations: { [scriptAnnotation]: '{"log":["hello"],"exitCode":1,"times":1}' } }),
    );
    await bench.clock.advance(1_000);

    const logs = bench.worker.logsOf("main");
    assert.deepEqual([logs?.previous?.since(0).length, logs?.current.since(0).length], [1, 1]);
    await bench.worker.dispose();
  });

  it("writes the last status, then removes the deleted pod, and no other pod of the same name", async () => {
    const bench = new WorkerBench(podOf({}));
    await bench.clock.advance(1_000);
    bench.delete(30);
    await bench.clock.advance(1_000);

    assert.equal(bench.phases.at(-1), "Succeeded 0");
    assert.deepEqual(bench.deletions, [[0, { uid: "u1" }]]);
    await bench.worker.dispose();
  });

  it("retries a failed status update", async () => {
    const bench = new WorkerBench(podOf({}));
    bench.failures = 3;
    await bench.clock.advance(10_000);

    assert.equal(bench.phases.at(-1), "Running running");
    await bench.worker.dispose();
  });

  it("ends a container whose model fails to start, and nothing else", async () => {
    const pod = podOf({ restartPolicy: "Never" }, { annotations: { [scriptAnnotation]: '{"model":"broken"}' } });
    const bench = new WorkerBench(pod);
    await bench.clock.advance(1_000);

    assert.equal(bench.phases.at(-1), "Failed 128");
    assert.match(bench.statuses.at(-1)?.containerStatuses?.[0]?.state?.terminated?.message ?? "", /no way/);
    await bench.worker.dispose();
  });

  it("makes the port of a model reachable while it runs, and probes it over a socket", async () => {
    const pod = podOf(
      {
        containers: [
          container("main", {
            ports: [{ name: "http", containerPort: 3030 }],
            livenessProbe: { tcpSocket: { port: "http" }, periodSeconds: 1 },
          }),
        ],
      },
      { annotations: { [scriptAnnotation]: '{"model":"http-echo"}' } },
    );
    const bench = new WorkerBench(pod);
    for (let tries = 0; tries < 200 && bench.network.addressOf("10.0.0.2", 3030) === undefined; tries += 1) {
      await bench.clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const address = bench.network.addressOf("10.0.0.2", 3030);
    assert.ok(address !== undefined);
    assert.equal((await fetch(`http://${address.host}:${address.port}/health`)).status, 200);

    await bench.worker.dispose();

    assert.equal(bench.network.addressOf("10.0.0.2", 3030), undefined);
    await assert.rejects(fetch(`http://${address.host}:${address.port}/health`));
    assert.ok(!bench.events.includes("Unhealthy"));
  });
});

describe("a pod that is deleted on the API server", () => {
  it("has its status written once, and not retried", async () => {
    const bench = new WorkerBench(podOf({ containers: [container("main", { image: "UPPER" })] }));
    bench.isDeleted = true;
    await bench.clock.advance(10_000);
    const { requests } = bench;
    assert.ok(requests > 0);
    await bench.clock.advance(1_000);

    assert.equal(bench.requests, requests);
    await bench.worker.dispose();
  });
});

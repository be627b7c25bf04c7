import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { systemClock, systemRandom } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap, Namespace } from "@homeostat/kubernetes/core/v1";
import { LocustTest, locustOperator, readSettings } from "@homeostat/locust-operator";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { createOperatorManager } from "@homeostat/operator";
import { Registry, silentLogger } from "@homeostat/runtime";
import type { BenchContext } from "../harness/interruptible.ts";
import { forAll } from "../operators/lanes.ts";
import { type BurstNumbers, cpuSeconds, steadinessOf } from "./steadiness.ts";

const namespace = "load";
/** Room for all pods at once, so that the rate is that of the control plane. */
const node = {
  podCidr: "10.128.0.0/12",
  capacity: { cpu: "100000", memory: "100000Gi", "ephemeral-storage": "100000Gi", pods: "100000" },
};
const everyMs = 5_000;

/**
 * Creates LocustTests at once and runs them to their end with the operator, on an embedded cluster in the same process. Compares the
 * first fifth of all writes with the last: most tests finish at the end, so when they finish says nothing about the beginning.
 * Throws when they do not finish in time.
 */
export async function runLoadTests(
  count: number,
  timeoutMs: number,
  { signal, report }: BenchContext,
): Promise<BurstNumbers> {
  await using cluster = await startCluster({ models: [locustModel], nodes: [node] });
  using client = createClient(cluster.transport());
  await prepare(client);
  const stopping = new AbortController();
  const operating = operatorOf(cluster).run(stopping.signal);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const seconds = cpuSeconds();
  try {
    const writes = writeTimes(cluster, { count, seconds, signal: deadline, report });
    await forAll(
      count,
      async (index) => void (await client.create(LocustTest, testNamed(`test-${index}`), { signal })),
    );
    const doneAt = await writes;
    return { ...steadinessOf(doneAt, Math.floor(doneAt.length / 5)), perSecond: count / seconds() };
  } finally {
    stopping.abort();
    await operating.catch(() => undefined);
  }
}

async function prepare(client: Client): Promise<void> {
  const crd = LocustTest.crd();
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.name !== "v1" }));
  // No webhook converts here, so the old version is not served.
  const spec = { ...crd.spec, versions, conversion: { strategy: "None" } };
  await client.create(CustomResourceDefinition, { ...crd, spec });
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const metadata = { namespace, name: "shop-test" };
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "shop.py": "" } });
}

function operatorOf(cluster: Cluster): ReturnType<typeof createOperatorManager> {
  const [clock, random] = [systemClock, systemRandom];
  const { settings } = readSettings({});
  const resolve = (ip: string, port: number) => cluster.addressOf(ip, port);
  return createOperatorManager(locustOperator({ settings, clock, random, resolve }), {
    connection: cluster.transport(),
    run: {
      webhooks: false,
      leaderElect: false,
      metricsBindAddress: "0",
      healthProbeBindAddress: "0",
      grace: 0,
      watchNamespaces: [namespace],
      namespace,
    },
    settings: {},
    log: silentLogger,
    registry: new Registry(),
    clock,
    random,
    env: {},
  });
}

/** Follows the store of the API server until all tests are over. Returns the times of all writes. */
async function writeTimes(
  { server: { store } }: Cluster,
  {
    count,
    seconds,
    signal,
    report,
  }: { readonly count: number; readonly seconds: () => number; readonly signal: AbortSignal } & Pick<
    BenchContext,
    "report"
  >,
): Promise<readonly number[]> {
  const prefix = `locust.io/locusttests/${namespace}/`;
  const finished = new Set<string>();
  const doneAt: number[] = [];
  const timer = setInterval(() => report(`${finished.size} of ${count} tests finished`), everyMs);
  try {
    await new Promise<void>((resolve, reject) => {
      const stop = store.observe(({ key, after }) => {
        doneAt.push(seconds());
        if (after === undefined || !key.startsWith(prefix) || finished.has(key)) return;
        const { status } = store.read(after);
        const phase = typeof status === "object" && status !== null && "phase" in status ? status.phase : undefined;
        if (phase !== "Succeeded" && phase !== "Failed") return;
        finished.add(key);
        if (finished.size === count) resolve();
      });
      const fail = (): void => {
        stop();
        reject(new Error(`${finished.size} of ${count} tests finished in time`));
      };
      signal.addEventListener("abort", fail, { once: true });
    });
  } finally {
    clearInterval(timer);
  }
  return doneAt;
}

function testNamed(name: string) {
  return {
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { namespace, name },
    spec: {
      image: "locustio/locust:2.46.3",
      master: {
        command: "--locustfile /lotest/src/shop.py --host http://shop --users 5 --spawn-rate 5 --run-time 1s",
        autostart: true,
        autoquit: { enabled: true, timeout: 1 },
      },
      worker: { command: "--locustfile /lotest/src/shop.py", replicas: 1 },
      testFiles: { configMapRef: "shop-test" },
    },
  } as const;
}

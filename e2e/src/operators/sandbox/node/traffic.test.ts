// Sandboxes on a real node: operator, route server and proxies run in pods from their images, and requests pass through Services that are
// taken over. Clients send requests without a key to every Service during the whole run; none of them may fail.
//
//   shop/cart    proxies deleted one by one, then all at once
//   stage/cart   100 route changes within a minute
//   stage/pay    a GitOps tool puts the selector back
//   edge/cart    a sidecar instead of a takeover, and a preview host
//   shop/cart    a fork that sleeps, woken by requests that wait for it
//   shop/cart    processes on laptops, through the tunnel (laptop-tests.ts)
//   all          operator and route server down
//   shop/cart    the guide
//   stage/cart   the release

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { KubeObject, ResourceType } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";

import { Node, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { RouteGroup, RouteTable, Sandbox, SandboxPolicy, systemNamespace } from "@homeostat/sandbox-operator";
import { proxyName } from "@homeostat/sandbox-operator/internal";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { followGuide } from "./guide.ts";
import { testLaptops } from "./laptop-tests.ts";
import { LoadClient, pauseMs, type Period, send, type Target } from "./load-client.ts";
import { isReady, SandboxCluster, type ServiceName } from "./sandbox-cluster.ts";
import { createNamespace, createService, shopService } from "./shop.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? false;
const shopCart: ServiceName = { namespace: "shop", name: "cart" };
const stageCart: ServiceName = { namespace: "stage", name: "cart" };
const stagePay: ServiceName = { namespace: "stage", name: "pay" };
const edgeCart: ServiceName = { namespace: "edge", name: "cart" };
const services = [shopCart, stageCart, stagePay];
/** Route changes and their interval: 120 a minute. Several groups take turns, because one write can take longer than the interval on a busy machine. */
const changes = 100;
const changeMs = 500;
const changingGroups = ["changes-0", "changes-1", "changes-2", "changes-3"];

describe("sandboxes on a real node", { skip, timeout: 900_000 }, () => {
  let cluster: SandboxCluster;
  const loads = new Map<ServiceName, LoadClient>();
  /** The time in which shop/cart had no pod at all. */
  let outage: Period | undefined;

  before(async () => {
    cluster = await SandboxCluster.start("takeover: { linger: 2s }\npreview: { domain: preview.test, scheme: http }\n");
    const { client } = cluster;
    for (const namespace of ["shop", "stage", "edge"]) await createNamespace(client, namespace);
    for (const { namespace, name } of services) await createService(client, namespace, name);
    for (const service of services) {
      await cluster.responds(service, "", "v1");
      loads.set(service, await cluster.load(service));
    }
    await Promise.all([
      cluster.createSandbox({ namespace: "shop", name: "pr-42", deployments: ["cart"] }),
      cluster.createSandbox({ namespace: "stage", name: "pr-7", deployments: ["cart", "pay"] }),
    ]);
    await createGroup();
    // The webhook that adds the sidecar responds: it has admitted the sandboxes.
    await createService(client, "edge", "cart", "Sidecar");
    await cluster.responds(edgeCart, "", "v1");
    loads.set(edgeCart, await cluster.load(edgeCart));
  });

  after(async () => {
    await Promise.all([...loads.values()].map((load) => load.stop()));
    await cluster?.[Symbol.asyncDispose]();
  });

  describe("at the same time", { concurrency: true }, () => {
    it("route by key while proxies are deleted one by one, and restore the Service within 10 s when all are gone", async (context) => {
      await cluster.responds(shopCart, "pr-42", "pr-42");
      await cluster.responds(shopCart, "", "v1");
      await cluster.responds(shopCart, "unknown-key", "v1");
      assert.equal((await cluster.request(shopCart, "pr-42")).route, "sandbox=pr-42; workload=cart");
      assert.equal((await cluster.request(shopCart, "unknown-key")).route, "baseline; reason=unknown-key");

      for (const victim of await cluster.readyProxies("shop")) {
        await cluster.client.delete(Pod, { namespace: "shop", name: victim });
        await cluster.installed.eventually("the proxy to be replaced", async () => {
          const ready = await cluster.readyProxies("shop");
          return ready.length === 2 && !ready.includes(victim) ? true : undefined;
        });
        await cluster.responds(shopCart, "pr-42", "pr-42");
      }
      assert.deepEqual(loads.get(shopCart)?.failed(), []);

      await cordon(true);
      await using lost = await timeOf(Deployment, "shop", ({ metadata, status }) =>
        metadata.name === proxyName ? (status?.readyReplicas ?? 0) === 0 : false,
      );
      await using restored = await timeOf(Service, "shop", ({ metadata, spec }) =>
        metadata.name === "cart" ? spec?.selector?.["app"] === "cart" : false,
      );
      const victims = await cluster.readyProxies("shop");
      // A request that was sent before the deletion may still be running.
      const from = loads.get(shopCart)?.sentAt ?? Date.now();
      await Promise.all(
        victims.map((name) => cluster.client.delete(Pod, { namespace: "shop", name }, { gracePeriodSeconds: 0 })),
      );
      // The time counts from the moment at which the cluster knows that no proxy is ready: the write of the Deployment's status.
      const lostAt = await lost.time;
      const restoredAt = await restored.time;
      // Until then, kube-proxy may still lead connections to proxies that are gone.
      await cluster.responds(shopCart, "", "v1");
      outage = { from, to: Date.now() };
      await cluster.responds(shopCart, "pr-42", "v1");
      assert.equal((await cluster.hasCondition(shopCart, "TakenOver", "False")).reason, "TakeoverRestored");
      await cordon(false);
      const failed = loads.get(shopCart)?.failedWithin(outage) ?? [];
      const last = failed.at(-1)?.at ?? from;
      context.diagnostic(
        `all proxies were lost ${lostAt - from} ms after their deletion, the Service was restored ${restoredAt - lostAt} ms after that; ` +
          `${failed.length} requests without a key failed, the last one ${last - restoredAt} ms after the restore`,
      );
      assert.ok(restoredAt - lostAt <= 10_000, `restored ${restoredAt - lostAt} ms after the loss of all proxies`);
      // A refused connection fails at once: the client sends one request at a time, with a pause.
      assert.ok(failed.length > 0 && failed.length <= (outage.to - from) / pauseMs, `${failed.length} requests failed`);

      await cluster.hasCondition(shopCart, "TakenOver", "True");
      await cluster.responds(shopCart, "pr-42", "pr-42");
    });

    it("change routes 100 times a minute without a failed request", async (context) => {
      const host = await cluster.addressOf(stageCart);
      const forkLoad = new LoadClient({
        host,
        port: 80,
        expected: "pr-7 /hello",
        headers: { "x-routing-key": "pr-7" },
      });
      const generation = async (): Promise<number> =>
        (await cluster.client.get(RouteTable, stageCart))?.metadata.generation ?? 0;
      const first = await generation();
      const from = Date.now();

      await Promise.all(changingGroups.map((name, lane) => changeRoutes(name, lane, from)));
      const rate = changes / ((Date.now() - from) / 60_000);

      const path = `/change-${changes}`;
      const [last = ""] = changingGroups.slice(-1);
      await arrives({ host, port: 80, path, headers: { "x-routing-key": last } }, `pr-7 ${path}`);
      const published = (await generation()) - first;
      await forkLoad.stop();
      context.diagnostic(`${rate.toFixed(0)} changes a minute, ${published} tables for ${changes} changes`);
      assert.deepEqual(forkLoad.failed(), []);
      assert.deepEqual(loads.get(stageCart)?.failed(), []);
      assert.ok(rate >= 100, `${rate.toFixed(0)} changes a minute`);
      // On a slow machine, one table contains several changes.
      assert.ok(published > changes / 4, `${published} tables for ${changes} changes`);
    });

    it("route inside of pods with a sidecar, and by a preview host", async () => {
      await cluster.client.create(SandboxPolicy, {
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "SandboxPolicy",
        metadata: { name: "public", namespace: "edge" },
        spec: { allowPublicEndpoints: true },
      });
      await cluster.createSandbox({
        namespace: "edge",
        name: "pr-9",
        deployments: ["cart"],
        endpoints: [{ name: "web", target: "http://cart.edge.svc:80", auth: "None" }],
      });

      await cluster.responds(edgeCart, "pr-9", "pr-9");
      await cluster.responds(edgeCart, "", "v1");
      const service = await cluster.client.get(Service, edgeCart);
      assert.deepEqual(service?.spec?.selector, { app: "cart" });
      assert.equal((await cluster.proxies("edge")).length, 0);
      const host = await cluster.installed.eventually("the address of the gateway", async () => {
        const { items } = await cluster.client.list(Pod, { namespace: systemNamespace });
        return items.find((pod) => isGateway(pod) && isReady(pod))?.status?.podIP;
      });
      const preview = { host, port: 8080, headers: { host: "web--pr-9.preview.test" } };
      await arrives(preview, "pr-9 /hello");
    });

    it("leave a Service alone whose selector a GitOps tool has put back three times", async () => {
      let reverts = 0;
      const gitOps = { fieldManager: "gitops-tool", force: true };

      const conflict = await cluster.installed.eventually("the conflict", async () => {
        const { selector } = (await cluster.client.get(Service, stagePay))?.spec ?? {};
        if (selector?.["app"] !== "pay") {
          await cluster.client.apply(Service, shopService("stage", "pay"), gitOps);
          reverts += 1;
        }
        const table = await cluster.client.get(RouteTable, stagePay);
        return table?.status?.conditions?.find(({ type, status }) => type === "Conflict" && status === "True");
      });

      assert.equal(reverts, 3);
      assert.match(conflict.message ?? "", /^Field manager "gitops-tool" reverted the selector of the Service 3 times/);
      await cluster.responds(stagePay, "pr-7", "v1");
      await cluster.responds(stagePay, "", "v1");
    });
  });

  it("wake a fork that sleeps by requests that wait for it", async () => {
    const at = { namespace: "shop", name: "nap" };
    await cluster.createSandbox({ ...at, deployments: ["cart"], startsAsleep: true });
    const forkName = (await cluster.client.get(Sandbox, at))?.status?.services?.[0]?.forkName ?? "";
    const fork = async () =>
      (await cluster.client.get(Deployment, { namespace: "shop", name: forkName }))?.spec?.replicas;
    assert.equal(await fork(), 0);

    const host = await cluster.addressOf(shopCart);
    const held = { host, port: 80, headers: { "x-routing-key": "nap" }, timeoutMs: 90_000 };
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(held)));

    assert.deepEqual(new Set(responses.map(({ body }) => body)), new Set(["nap /hello"]));
    assert.equal(await fork(), 1);
    await cluster.client.delete(Sandbox, at);
    await cluster.responds(shopCart, "nap", "v1");
  });

  testLaptops(() => cluster);

  it("serve all requests while operator and route server are down, also after a restart of a proxy", async () => {
    await scale(0);
    const [restarted] = await cluster.proxies("shop");
    const [deleted] = await cluster.readyProxies("stage");

    // The container ends and starts again in its pod, so that its volume with the snapshot stays.
    const kill = ["/usr/bin/node", "-e", "process.kill(1, 'SIGTERM')"];
    const name = restarted?.metadata.name ?? "";
    await cluster.installed.kubectl("exec", "-n", "shop", name, "--", ...kill);
    await cluster.client.delete(Pod, { namespace: "stage", name: deleted ?? "" });
    const pod = await cluster.installed.eventually("the restarted proxy to be ready", async () => {
      const found = await cluster.client.get(Pod, { namespace: "shop", name });
      const restarts = found?.status?.containerStatuses?.[0]?.restartCount ?? 0;
      return found !== undefined && restarts > 0 && isReady(found) ? found : undefined;
    });
    const replacement = await cluster.installed.eventually("the replacement to run", async () =>
      (await cluster.proxies("stage")).find(
        (each) => each.status?.containerStatuses?.[0]?.state?.running && !isReady(each),
      ),
    );

    const port = (await cluster.client.get(RouteTable, shopCart))?.status?.listenPorts?.["80"] ?? 0;
    const host = pod.status?.podIP ?? "";
    assert.equal((await send({ host, port, headers: { "x-routing-key": "pr-42" } })).body, "pr-42 /hello");
    assert.equal((await send({ host, port })).body, "v1 /hello");
    for (const [service, key] of [
      [shopCart, "pr-42"],
      [stageCart, "pr-7"],
    ] as const) {
      await cluster.responds(service, key, key);
      await cluster.responds(service, "", "v1");
    }

    await scale(2);
    await cluster.installed.eventually("the replacement to be ready", async () => {
      const found = await cluster.client.get(Pod, { namespace: "stage", name: replacement.metadata.name ?? "" });
      return found !== undefined && isReady(found) ? true : undefined;
    });
  });

  it("route requests as the guide says", async () => {
    const output = await followGuide(cluster.kubeconfigPath);

    for (const part of [
      /routetable\.sandbox\.example\.com\/cart condition met/,
      /^cart +Takeover +\S+ +\d +\d +True/m,
      /^v1 \/HTTP\/1\.1 200 OK/m,
      /^x-sandbox-route: sandbox=pr-42; workload=cart\r\n[^]*pr-42 \/HTTP\/1\.1 200 OK/m,
      /^x-sandbox-route: baseline; reason=unknown-key\r\n[^]*^v1 \/HTTP/m,
      /^Outcome: entry cart of sandbox pr-42$/m,
      /^\{"app":"cart"\}$/m,
    ])
      assert.match(output, part);
  });

  it("restore their Services when the last route is gone", async () => {
    for (const name of ["all-changes", ...changingGroups])
      await cluster.client.delete(RouteGroup, { namespace: "stage", name });
    await cluster.client.delete(Sandbox, { namespace: "stage", name: "pr-7" });
    await cluster.isRestored(stageCart);
    await cluster.responds(stageCart, "pr-7", "v1");
  });

  it("serve every request without a key", () => {
    for (const [{ namespace, name }, load] of loads) {
      assert.ok(load.sent > 500, `only ${load.sent} requests were sent to ${namespace}/${name}`);
      assert.deepEqual(load.failed(namespace === "shop" ? outage : undefined), [], `${namespace}/${name}`);
    }
  });

  /** Creates a group that includes all sandboxes of the namespace stage. */
  async function createGroup(): Promise<void> {
    await cluster.client.create(RouteGroup, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "RouteGroup",
      metadata: { name: "all-changes", namespace: "stage" },
      spec: { routingKey: "all-changes", match: { label: { key: "feature", value: "checkout-v2" } } },
    });
    await cluster.responds(stageCart, "all-changes", "pr-7");
  }

  /**
   * Creates a group, and changes its route every {@link changeMs} times the number of groups. Each change has another path, so that no table is like
   * an earlier one. Times count from the start of the test, so that the changes after a slow write catch up with it.
   */
  async function changeRoutes(name: string, lane: number, from: number): Promise<void> {
    const at = { namespace: "stage", name };
    const routesOf = (change: number) => [{ targetSandbox: "pr-7", paths: [{ exact: `/change-${change}` }] }];
    await cluster.client.create(RouteGroup, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "RouteGroup",
      metadata: at,
      spec: { routingKey: name, routes: routesOf(lane + 1) },
    });
    for (let change = lane + 1 + changingGroups.length; change <= changes; change += changingGroups.length) {
      await new Promise((resolve) => setTimeout(resolve, from + change * changeMs - Date.now()));
      await cluster.client.patch(RouteGroup, at, { merge: { spec: { routes: routesOf(change) } } });
    }
  }

  /** Watches objects of a namespace, and returns the time of the first change after which one of them has a state. */
  async function timeOf<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    has: (object: T) => boolean,
  ): Promise<{ readonly time: Promise<number> } & AsyncDisposable> {
    const watching = new AbortController();
    const { resourceVersion } = await cluster.client.list(type, { namespace });
    const watch = async (): Promise<number> => {
      for await (const event of cluster.client.watch(type, { namespace, resourceVersion, signal: watching.signal }))
        if (event.type !== "BOOKMARK" && has(event.object)) return Date.now();
      throw new Error(`The watch of ${type.kind} ended`);
    };
    const time = watch();
    return {
      time,
      async [Symbol.asyncDispose]() {
        watching.abort();
        await time.catch(() => undefined);
      },
    };
  }

  /** Waits until a request gets a response. */
  async function arrives(target: Target, body: string): Promise<void> {
    const end = Date.now() + 60_000;
    while ((await send(target)).body !== body) {
      assert.ok(Date.now() < end, `no response ${body}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Allows or forbids new pods on the node. */
  async function cordon(unschedulable: boolean): Promise<void> {
    const { items } = await cluster.client.list(Node, {});
    for (const { metadata } of items)
      await cluster.client.patch(Node, { name: metadata.name ?? "" }, { merge: { spec: { unschedulable } } });
  }

  /** Sets the replicas of operator, route server and tunnel server, and waits for them. */
  async function scale(replicas: number): Promise<void> {
    const names = ["sandbox-operator", "sandbox-route-server", "sandbox-tunnel"];
    for (const name of names)
      await cluster.client.patch(Deployment, { namespace: systemNamespace, name }, { merge: { spec: { replicas } } });
    await cluster.installed.eventually(`${replicas} replicas`, async () => {
      const { items } = await cluster.client.list(Pod, { namespace: systemNamespace });
      // The operator creates the gateway, which goes on without it.
      const own = items.filter((pod) => !isGateway(pod));
      return own.filter((pod) => replicas === 0 || isReady(pod)).length === names.length * replicas ? true : undefined;
    });
  }
});

/** Reports whether the operator created a pod for preview hosts. */
function isGateway({ metadata }: Pod): boolean {
  return metadata.name?.startsWith("sandbox-gateway-") === true;
}

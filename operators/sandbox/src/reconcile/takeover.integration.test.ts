// Takeovers on the embedded cluster, in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient } from "@homeostat/client";
import { withoutUndefined } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { annotations, finalizers, labels } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { selectsProxy } from "../build/taken-over-service.ts";
import { restoreCommand } from "../install/restore-command.ts";
import { Bench, conditionOf, namespace, type RunOptions } from "../testing/bench.ts";
import {
  askForTakeover,
  confirmTables,
  readyProxies,
  replicaCounts,
  serviceOf,
  untilConfirmed,
  untilTakenOver,
} from "../testing/takeover-bench.ts";

const spec: SandboxInput["spec"] = {
  services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:fork" }] }],
};

/** The selector of the Service of the baseline. */
const original = { app: "cart" };

/** Every state of a Service that clients could see. */
async function statesOf(bench: Bench, name: string, play: () => Promise<void>): Promise<readonly string[]> {
  const states: string[] = [];
  const watching = new AbortController();
  const { resourceVersion } = await bench.client.list(Service, { namespace });
  const watch = (async () => {
    for await (const event of bench.client.watch(Service, { namespace, resourceVersion, signal: watching.signal })) {
      if (event.type === "BOOKMARK" || event.object.metadata.name !== name) continue;
      const { selector, ports = [] } = event.object.spec ?? {};
      const isRecorded = event.object.metadata.annotations?.[annotations.original] !== undefined;
      states.push(JSON.stringify([selector, ports.map(({ targetPort }) => targetPort), isRecorded]));
    }
  })().catch(() => undefined);
  await play();
  watching.abort();
  await watch;
  return [...new Set(states)];
}

async function releaseOf(bench: Bench, name: string): Promise<void> {
  await untilConfirmed(bench, `${name} is released`, async () => !selectsProxy(await serviceOf(bench, name)));
}

describe("a takeover", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.baseline("cart");
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  it("does not happen unless the Service or a policy asks for it", async () => {
    await bench.create("pr", spec);
    await bench.running("pr");
    await bench.pass(10_000);

    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    assert.equal(await readyProxies(bench), undefined);
    assert.match(conditionOf((await bench.table("cart")) ?? {}, "TakenOver") ?? "", /^False NotNeeded/);
  });

  it("waits until the proxies have confirmed the listening ports", async () => {
    await askForTakeover(bench, "cart");

    await bench.until("ready proxies", async () => ((await readyProxies(bench)) ?? 0) === 2);
    await bench.pass(10_000);

    const table = await bench.existing(RouteTable, { namespace, name: "cart" });
    assert.deepEqual(table.status?.listenPorts, { "80": 21_000 });
    assert.ok(table.metadata.finalizers?.includes(finalizers.takeover));
    assert.match(conditionOf(table, "TakenOver") ?? "", /^False WaitingForProxies: 0 of 2 proxies/);
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    const base = await serviceOf(bench, "cart--base");
    assert.deepEqual(base.spec?.selector, original);
    assert.equal(base.spec?.ports?.[0]?.targetPort, "http");
    assert.equal(table.spec.ports[0]?.baselineTarget, "cart--base.shop.svc:80");
    await bench.existing(PodDisruptionBudget, { namespace, name: proxyName });
  });

  it("does not count gateways that follow the table", async () => {
    const { spec: published } = await bench.existing(RouteTable, { namespace, name: "cart" });
    const replicas = [replicaCounts(published.version, 0)];
    const at = { namespace, name: "cart" };
    await bench.client.patch(RouteTable, at, { merge: { status: { replicas } } }, { subresource: "status" });
    await bench.pass(10_000);

    const table = await bench.existing(RouteTable, at);
    assert.match(conditionOf(table, "TakenOver") ?? "", /^False WaitingForProxies: 0 of 2 proxies/);
    assert.deepEqual(table.status?.proxies, { total: 0, synced: 0 });
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
  });

  it("changes the Service by one write", async () => {
    const states = await statesOf(bench, "cart", async () => {
      await untilTakenOver(bench, "cart");
    });

    assert.deepEqual(states, [JSON.stringify([{ "sandbox.example.com/proxy": "true" }, [21_000], true])]);
    const service = await serviceOf(bench, "cart");
    assert.deepEqual(JSON.parse(service.metadata.annotations?.[annotations.original] ?? ""), {
      selector: original,
      targetPorts: { "80": "http" },
    });
    await bench.running("pr");
    const events = await bench.eventsOf("RouteTable", { namespace, name: "cart" });
    assert.ok(
      events.some((event) => event.startsWith("Normal TakenOver")),
      events.join("\n"),
    );
    assert.equal(operator.metric("takeover_active", { namespace }), 1);
  });

  it("keeps forks and routes as they are", async () => {
    await bench.pass(30_000);

    const table = await bench.existing(RouteTable, { namespace, name: "cart" });
    assert.equal(table.spec.entries.length, 1);
    const { status } = await bench.get("pr");
    assert.equal(status?.services?.[0]?.drift, "InSync");
    assert.equal(status?.services?.[0]?.services?.[0]?.baseline, "cart");
  });

  it("follows ports that are added to the Service", async () => {
    const { spec: found } = await serviceOf(bench, "cart");
    const ports = [...(found?.ports ?? []), { name: "admin", port: 9000, targetPort: 9001 }];
    await bench.client.patch(Service, { namespace, name: "cart" }, { merge: { spec: { ports } } });

    await untilConfirmed(bench, "the port", async () => {
      const { spec: now } = await serviceOf(bench, "cart");
      return now?.ports?.[1]?.targetPort === 21_001;
    });

    const base = await serviceOf(bench, "cart--base");
    assert.deepEqual(
      base.spec?.ports?.map(({ targetPort }) => targetPort),
      ["http", 9001],
    );
  });

  it("creates a proxy or a Service of the baseline again that was deleted", async () => {
    await bench.client.delete(Service, { namespace, name: "cart--base" });
    await bench.until(
      "the Service of the baseline",
      async () => (await bench.client.get(Service, { namespace, name: "cart--base" })) !== undefined,
    );

    await bench.client.delete(PodDisruptionBudget, { namespace, name: proxyName });
    await bench.client.delete(Deployment, { namespace, name: proxyName });
    await bench.until("ready proxies", async () => ((await readyProxies(bench)) ?? 0) === 2);

    await untilTakenOver(bench, "cart");
  });

  it("writes nothing while nothing changes, also after a restart", async () => {
    await bench.pass(30_000);
    const count = operator.writes().length;
    await bench.pass(600_000);
    assert.deepEqual(operator.writes().slice(count), []);

    await operator[Symbol.asyncDispose]();
    operator = await bench.run();
    await bench.pass(60_000);
    assert.deepEqual(operator.writes(), []);
  });

  it("ends after the linger, by one write, and leaves nothing behind", async () => {
    const states = await statesOf(bench, "cart", async () => {
      await bench.client.delete(Sandbox, { namespace, name: "pr" });
      await bench.until("an empty table", async () => (await bench.table("cart"))?.spec.entries.length === 0);
      await bench.pass(50_000);
      await confirmTables(bench);
      assert.ok(selectsProxy(await serviceOf(bench, "cart")));
      await releaseOf(bench, "cart");
    });

    assert.deepEqual(states, [JSON.stringify([original, ["http", 9001], false])]);
    await bench.untilDeleted("pr");
    await bench.pass(30_000);
    assert.notEqual(await bench.client.get(Service, { namespace, name: "cart--base" }), undefined);
    await bench.until("no table", async () => (await bench.table("cart")) === undefined);
    assert.equal(await bench.client.get(Service, { namespace, name: "cart--base" }), undefined);
    const events = await bench.eventsOf("RouteTable", { namespace, name: "cart" });
    assert.ok(
      events.some((event) => event.startsWith("Normal Released")),
      events.join("\n"),
    );
    assert.equal(operator.metric("takeover_active", { namespace }), undefined);
  });

  it("removes the proxy of the namespace ten minutes later", async () => {
    await bench.pass(500_000);
    assert.equal(await readyProxies(bench), 2);

    await bench.until("no proxy", async () => (await readyProxies(bench)) === undefined);
    await bench.until(
      "no budget",
      async () => (await bench.client.get(PodDisruptionBudget, { namespace, name: proxyName })) === undefined,
    );
  });

  it("logs no errors", () => {
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error").map(({ message }) => message),
      [],
    );
  });
});

describe("a Service that is taken over", () => {
  /** Starts a cluster with a sandbox whose Service is taken over. */
  async function start(
    fault?: RunOptions["fault"],
  ): Promise<{ bench: Bench; operator: Awaited<ReturnType<Bench["run"]>> } & AsyncDisposable> {
    const bench = await Bench.start();
    const operator = await bench.run(withoutUndefined({ fault }));
    await bench.baseline("cart");
    await askForTakeover(bench, "cart");
    await bench.create("pr", spec);
    await untilTakenOver(bench, "cart");
    return {
      bench,
      operator,
      async [Symbol.asyncDispose]() {
        await operator[Symbol.asyncDispose]();
        await bench[Symbol.asyncDispose]();
      },
    };
  }

  /** Puts the selector and the target ports back, as a GitOps tool does. */
  async function revert(bench: Bench): Promise<void> {
    await bench.client.apply(
      Service,
      {
        metadata: { name: "cart", namespace },
        spec: { selector: original, ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }] },
      },
      { force: true, fieldManager: "argocd-controller" },
    );
    // Server-side apply merges selectors: a tool that owns the whole map also removes keys of others.
    await bench.client.patch(
      Service,
      { namespace, name: "cart" },
      { merge: { spec: { selector: { "sandbox.example.com/proxy": null } } } },
      { fieldManager: "argocd-controller" },
    );
  }

  it("is restored when its RouteTable is deleted, and taken over again", async () => {
    await using shop = await start();
    const { bench } = shop;
    const { metadata } = await bench.existing(RouteTable, { namespace, name: "cart" });

    await bench.client.delete(RouteTable, { namespace, name: "cart" });
    await bench.until("the original", async () => !selectsProxy(await serviceOf(bench, "cart")), 1);

    await untilConfirmed(bench, "another table", async () => {
      const found = await bench.table("cart");
      return found !== undefined && found.metadata.uid !== metadata.uid;
    });
    await untilTakenOver(bench, "cart");
  });

  it("leaves nothing behind when it is deleted", async () => {
    await using shop = await start();
    const { bench } = shop;

    await bench.client.delete(Service, { namespace, name: "cart" });

    await bench.until("no table", async () => (await bench.table("cart")) === undefined);
    assert.equal(await bench.client.get(Service, { namespace, name: "cart--base" }), undefined);
  });

  it("names NetworkPolicies that may keep requests from passing the proxy", async () => {
    await using shop = await start();
    const { bench } = shop;

    await bench.client.create(NetworkPolicy, {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "deny-all", namespace },
      spec: { podSelector: {}, policyTypes: ["Ingress"] },
    });

    const says = async (): Promise<string> =>
      conditionOf(await bench.existing(RouteTable, { namespace, name: "cart" }), "TakenOver") ?? "";
    await bench.until("the policy", async () => /limit connections to the baseline.*: deny-all/.test(await says()));
    await bench.client.delete(NetworkPolicy, { namespace, name: "deny-all" });
    await bench.until("no policy", async () => (await says()) === "True TakenOver: Requests go through the proxy");
  });

  it("is restored at once when the interception changes", async () => {
    await using shop = await start();
    const { bench, operator } = shop;
    const earlier = operator.sent.length;

    const merge = { metadata: { annotations: { [annotations.interception]: "None" } } };
    await bench.client.patch(Service, { namespace, name: "cart" }, { merge });

    await bench.until("the original", async () => !selectsProxy(await serviceOf(bench, "cart")), 1);
    await untilConfirmed(bench, "no Service of the baseline", async () => {
      const base = await bench.client.get(Service, { namespace, name: "cart--base" });
      return base === undefined;
    });
    const table = await bench.existing(RouteTable, { namespace, name: "cart" });
    assert.equal(table.spec.ports[0]?.baselineTarget, "cart.shop.svc:80");
    assert.equal(table.status?.listenPorts, undefined);
    await bench.running("pr");
    // Users wait for TakenOver to be false before they read the Service.
    const sent = operator.sent.slice(earlier);
    const restored = sent.findIndex(({ method, path }) => method === "PATCH" && path.includes("/services/cart?"));
    const reported = sent.findIndex(
      ({ path, body }) =>
        path.includes("/routetables/cart/status") &&
        /"TakenOver"[^}]*"Releasing"|"Releasing"[^}]*"TakenOver"/.test(body),
    );
    assert.ok(restored >= 0 && restored < reported, `restored by request ${restored}, reported by ${reported}`);
  });

  it("is restored within 10 seconds without a ready proxy, and taken over again a minute after that", async () => {
    await using shop = await start();
    const { bench, operator } = shop;

    await operator[Symbol.asyncDispose]();
    // The operator would put the replicas back: the proxies fail while it starts.
    await bench.client.patch(Deployment, { namespace, name: proxyName }, { merge: { spec: { replicas: 0 } } });
    await bench.until("no ready proxy", async () => (await readyProxies(bench)) === 0);
    await using again = await bench.run({
      fault: ({ method, path }) =>
        method === "PATCH" && path.includes("/deployments/sandbox-proxy") ? 503 : undefined,
    });
    const from = bench.clock.now();
    await bench.until("the original", async () => !selectsProxy(await serviceOf(bench, "cart")), 1);
    const tookMs = bench.clock.now() - from;

    // A proxy that restarts has nine seconds to become ready.
    assert.ok(tookMs >= 8_900 && tookMs <= 10_000, `restored after ${tookMs} ms`);
    const service = await serviceOf(bench, "cart");
    assert.deepEqual(service.spec?.selector, original);
    assert.equal(service.spec?.ports?.[0]?.targetPort, "http");
    assert.equal(again.metric("takeover_restores_total", { namespace }), 1);
    await bench.until("the condition", async () => {
      const table = await bench.table("cart");
      return conditionOf(table ?? {}, "TakenOver")?.startsWith("False TakeoverRestored") === true;
    });
    const events = await bench.eventsOf("RouteTable", { namespace, name: "cart" });
    assert.ok(
      events.some((event) => event.startsWith("Warning TakeoverRestored")),
      events.join("\n"),
    );
    await bench.client.patch(Deployment, { namespace, name: proxyName }, { merge: { spec: { replicas: 2 } } });
    await untilTakenOver(bench, "cart");
    const back = await serviceOf(bench, "cart");
    assert.equal(back.metadata.annotations?.[annotations.holdUntil], undefined);
  });

  it("is taken over again after a revert, and left alone after the third", async () => {
    await using shop = await start();
    const { bench, operator } = shop;
    const untilReverted = async (): Promise<void> => {
      await revert(bench);
      await bench.until("a recorded revert", async () => {
        const table = await bench.table("cart");
        return conditionOf(table ?? {}, "TakenOver")?.startsWith("False SelectorReverted") === true;
      });
    };

    await untilReverted();
    await bench.pass(3_000);
    assert.equal(selectsProxy(await serviceOf(bench, "cart")), false);
    await untilTakenOver(bench, "cart");
    await untilReverted();
    await bench.pass(25_000);
    assert.equal(selectsProxy(await serviceOf(bench, "cart")), false);
    await untilTakenOver(bench, "cart");
    await untilReverted();
    const table = await bench.untilObject(
      RouteTable,
      { namespace, name: "cart" },
      { what: "a conflict", is: (each) => conditionOf(each, "Conflict")?.startsWith("True") === true },
    );

    assert.match(conditionOf(table, "Conflict") ?? "", /^True SelectorReverted: Field manager "argocd-controller"/);
    await bench.pass(1_200_000);
    const service = await serviceOf(bench, "cart");
    assert.deepEqual(service.spec?.selector, original);
    assert.equal(service.metadata.annotations?.[annotations.original], undefined);
    assert.equal(operator.metric("takeover_conflicts_total", { namespace }), 1);
    const sandbox = await bench.get("pr");
    assert.match(conditionOf(sandbox, "RoutesProgrammed") ?? "", /^False SelectorReverted/);
    const events = await bench.eventsOf("RouteTable", { namespace, name: "cart" });
    assert.ok(
      events.some((event) => event.startsWith("Warning SelectorReverted") && event.includes("argocd-controller")),
      events.join("\n"),
    );
  });

  it("is left alone after the third revert, although the status of a takeover was not written before its revert", async () => {
    let isBroken = false;
    await using shop = await start(({ method, path }) =>
      isBroken && method === "PATCH" && path.includes("/routetables/cart/status") ? 500 : undefined,
    );
    const { bench } = shop;
    const recorded = async (): Promise<number> => (await bench.table("cart"))?.status?.takeover?.reverts?.length ?? 0;
    let takeovers = 0;

    for (let reverts = 1; reverts <= 3; reverts += 1) {
      await untilConfirmed(bench, "a takeover", async () => selectsProxy(await serviceOf(bench, "cart")));
      takeovers += 1;
      await revert(bench);
      isBroken = false;
      await bench.until("a recorded revert", async () => (await recorded()) === reverts);
      isBroken = reverts < 3;
    }
    await bench.pass(1_200_000);

    assert.equal(takeovers, 3);
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    assert.match(conditionOf((await bench.table("cart")) ?? {}, "Conflict") ?? "", /^True SelectorReverted/);
  });

  it("is restored by the command of the uninstallation, and not taken over again at once", async () => {
    await using shop = await start();
    const { bench } = shop;
    const printed: string[] = [];
    const command = async (): Promise<number> =>
      restoreCommand({
        argv: [],
        print: (text) => void printed.push(text),
        connect: async () => ({
          client: createClient(bench.cluster.transport(), { clock: bench.clock }),
          serverClock: bench.clock,
        }),
      });

    assert.equal(await command(), 0);

    assert.deepEqual(printed, ["Restored Service shop/cart\n"]);
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    await bench.pass(300_000);
    await confirmTables(bench);
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    assert.equal(await command(), 0);
    assert.equal(printed.at(-1), "No Service is taken over\n");
  });

  it("is restored when another client removes the record of the original", async () => {
    await using shop = await start();
    const { bench } = shop;

    const merge = { metadata: { annotations: { [annotations.original]: null } } };
    await bench.client.patch(Service, { namespace, name: "cart" }, { merge });

    await bench.until("the original", async () => !selectsProxy(await serviceOf(bench, "cart")), 1);
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    const service = await untilTakenOver(bench, "cart");
    assert.notEqual(service.metadata.annotations?.[annotations.original], undefined);
  });
});

describe("a Service whose interception is Auto", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });
  const modeOf = async (name: string): Promise<string | undefined> => (await bench.table(name))?.spec.interception;
  const forkOf = (name: string): SandboxInput["spec"] => ({
    services: [{ name, targetRef: { name }, containers: [{ name: "app", image: `${name}:fork` }] }],
  });

  it("is taken over if no mesh and no sidecar can route its requests", async () => {
    await bench.baseline("cart", { interception: "Auto" });
    await bench.create("pr", forkOf("cart"));
    await untilTakenOver(bench, "cart");
    await bench.running("pr");

    assert.equal(await modeOf("cart"), "Takeover");
    await operator[Symbol.asyncDispose]();
    operator = await bench.run();
    await bench.pass(20_000);
    assert.deepEqual(operator.writes(), []);
  });

  it("is not intercepted if it cannot be taken over either", async () => {
    await bench.baseline("db", { interception: "Auto" });
    await bench.client.delete(Service, { namespace, name: "db" });
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "db", namespace },
      spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ port: 80, targetPort: "http" }] },
    });
    await bench.create("pr-db", forkOf("db"));
    await bench.running("pr-db");

    assert.equal(await modeOf("db"), "None");
  });

  it("is routed by sidecars if all ready pods have one, and taken over again if one has none for a while", async () => {
    const podLabels = { [labels.sidecar]: "true" };
    await bench.baseline("mug", { interception: "Auto", podLabels });
    await bench.until("a ready pod", async () => {
      const found = await bench.client.get(Deployment, { namespace, name: "mug" });
      return found?.status?.readyReplicas === 1;
    });
    await bench.pass(1_000);
    await bench.create("pr-mug", forkOf("mug"));
    await bench.until("a table for sidecars", async () => (await modeOf("mug")) === "Sidecar");
    const [port] = (await bench.table("mug"))?.spec.ports ?? [];
    assert.equal(port?.targetPort, "http");
    assert.equal(await readyProxies(bench), 2, "only those of Service cart");

    // A webhook that was unreachable leaves pods without a sidecar.
    const [pod] = (await bench.client.list(Pod, { namespace, labelSelector: "app=mug" })).items;
    const merge = { metadata: { labels: { [labels.sidecar]: null } } };
    await bench.client.patch(Pod, { namespace, name: pod?.metadata.name ?? "" }, { merge });
    await bench.pass(5_000);
    assert.equal(await modeOf("mug"), "Sidecar");
    await bench.until("the other mode", async () => (await modeOf("mug")) === "Takeover");
  });
});

describe("a Service that cannot be taken over", () => {
  it("is left alone, and the condition says why", async () => {
    await using bench = await Bench.start();
    await using operator = await bench.run();
    await bench.baseline("cart");
    await askForTakeover(bench, "cart");
    const ports = [
      { name: "http", port: 80, targetPort: "http" },
      { name: "dns", port: 53, protocol: "UDP" as const, targetPort: 53 },
    ];
    await bench.client.patch(Service, { namespace, name: "cart" }, { merge: { spec: { ports } } });
    await bench.create("pr", spec);

    const table = await bench.untilObject(
      RouteTable,
      { namespace, name: "cart" },
      { what: "the condition", is: (each) => conditionOf(each, "TakenOver")?.includes("NotEligible") === true },
    );

    assert.match(conditionOf(table, "TakenOver") ?? "", /^False NotEligible: Port 53 has protocol UDP/);
    assert.equal(table.metadata.finalizers, undefined);
    assert.equal(await readyProxies(bench), undefined);
    assert.deepEqual((await serviceOf(bench, "cart")).spec?.selector, original);
    await bench.waitFor(
      "pr",
      (each) => conditionOf(each, "RoutesProgrammed")?.startsWith("False NotEligible") === true,
    );
    assert.equal(operator.hasCrashed, false);
  });
});

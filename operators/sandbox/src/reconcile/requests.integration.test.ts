import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RunningOperator } from "@homeostat/operator-testing";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { systemNamespace } from "../api/identity.ts";
import { Sandbox } from "../api/sandbox.ts";
import { Bench, namespace } from "../testing/bench.ts";

const forkOfCart = {
  services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:pr" }] }],
};

/** Requests until the fork is applied, in this order. */
const applied = [
  // Finalizer and inventory of managed kinds.
  "PATCH sandboxes/N",
  // Routing key.
  "PATCH sandboxes/N/status",
  "POST services",
  "POST deployments",
] as const;

/** Requests afterwards, sorted: the table, and the status of the fork, of its routes and of its pods. */
const routed = [
  // The runtime patches the live object.
  "GET routetables/cart",
  "PATCH routetables/cart",
  "PATCH routetables/cart/status",
  "PATCH sandboxes/N/status",
  "PATCH sandboxes/N/status",
  "PATCH sandboxes/N/status",
] as const;

describe("the requests of the sandbox operator", () => {
  let bench: Bench;
  let operator: RunningOperator;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.baseline("cart");
    for (const name of ["a", "b", "c"]) {
      await bench.create(name, forkOfCart);
      await bench.running(name);
    }
    await bench.pass(3_000);
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const reconciles = (): number =>
    ["success", "requeue", "requeue_after"].reduce(
      (sum, result) =>
        sum + (operator.metric("controller_runtime_reconcile_total", { controller: "sandbox", result }) ?? 0),
      0,
    );

  it("are ten for a new sandbox, none of them twice, and none for the other sandboxes of the Service", async () => {
    const mark = operator.sent.length;
    await bench.create("new", forkOfCart);
    await bench.running("new");
    await bench.pass(3_000);

    const sent = operator.sent.slice(mark);
    const requests = sent.map(({ method, path }) => `${method} ${shortPath(path).replace(/\/new(?=\/|$)/, "/N")}`);
    assert.deepEqual(requests.slice(0, applied.length), applied);
    assert.deepEqual(requests.slice(applied.length).toSorted(), routed);
    assert.equal(new Set(sent.map(({ method, path, body }) => `${method} ${path} ${body}`)).size, sent.length);
  });

  it("are none when nothing changed", async () => {
    const [mark, reconciled] = [operator.sent.length, reconciles()];
    await bench.client.patch(Sandbox, { namespace, name: "a" }, { merge: { metadata: { labels: { team: "b" } } } });
    // Longer than the interval of the full compilation.
    await bench.pass(660_000, 20);

    assert.deepEqual(operator.sent.slice(mark), []);
    assert.ok(reconciles() > reconciled, "the sandbox was reconciled");
  });

  it("are none after a restart", async () => {
    await operator[Symbol.asyncDispose]();
    operator = await bench.run();
    await bench.pass(30_000);

    assert.deepEqual(operator.writes(), []);
    assert.equal(reconciles(), 4, "each sandbox is reconciled once");
  });

  it("are none after a restart with preview addresses, whose domain is read from a ConfigMap", async () => {
    await bench.client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: systemNamespace, name: "sandbox-config" },
      data: { "config.yaml": "preview: {domain: preview.example.com}" },
    });
    await bench.create("web", { endpoints: [{ name: "web", target: `http://cart.${namespace}.svc:80` }] });
    await bench.until("the host", async () => {
      const { status } = await bench.get("web");
      const table = await bench.table("cart");
      return status.endpoints?.[0]?.host !== undefined && table?.spec.hosts?.length === 1;
    });
    await bench.pass(30_000);

    await operator[Symbol.asyncDispose]();
    operator = await bench.run();
    await bench.pass(30_000);

    assert.deepEqual(operator.writes(), []);
    assert.equal(reconciles(), 5, "each sandbox is reconciled once");
  });
});

/** Returns the path without API group, namespace and parameters. */
function shortPath(path: string): string {
  return path.replace(/\?.*$/, "").replace(/^.*\/namespaces\/[^/]+\//, "");
}

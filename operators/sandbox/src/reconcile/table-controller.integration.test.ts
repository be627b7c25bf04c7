// The start of the table controller beside other controllers that have read all objects already.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineController, defineOperator, watched } from "homeostat";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader } from "@homeostat/runtime";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { SandboxMetrics } from "../metrics/sandbox-metrics.ts";
import { RouteFeed } from "../observe/route-feed.ts";
import { Bench, namespace } from "../testing/bench.ts";
import { tableController } from "./table-controller.ts";

/** Runs an operator that only reads, and returns its cache. */
async function startReader(bench: Bench): Promise<{ readonly cache: CacheReader } & AsyncDisposable> {
  let cache: CacheReader | undefined;
  const reader = defineController({
    name: "reader",
    for: Service,
    watches: {
      sandboxes: watched(Sandbox),
      routeGroups: watched(RouteGroup),
      localWorkloads: watched(LocalWorkload, { indexes: { sandbox: ({ spec }) => spec.sandboxRef.name } }),
      policies: watched(SandboxPolicy),
      tables: watched(RouteTable),
    },
    async reconcile(context) {
      cache = context.cache;
    },
  });
  const operator = await bench.runOperator({
    operator: () => defineOperator({ name: "reader", resources: [], controllers: [reader] }),
    run: { namespace },
    isCounted: () => false,
  });
  await bench.until("the first reconcile", async () => cache !== undefined);
  assert.ok(cache !== undefined);
  return { cache, [Symbol.asyncDispose]: async () => operator[Symbol.asyncDispose]() };
}

describe("the table controller", () => {
  it("drops objects at its start that were deleted after another controller had read them", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    await bench.create("deleted", { services: [{ name: "cart", targetRef: { name: "cart" } }] });
    await bench.create("kept", { services: [{ name: "cart", targetRef: { name: "cart" } }] });
    await using reader = await startReader(bench);
    const { cache } = reader;
    const feed = new RouteFeed({
      clock: bench.clock,
      acceptsRoutes: () => false,
      mayAcceptRoutes: () => false,
      hasSidecars: () => false,
    });
    feed.prime(cache);
    await bench.client.delete(Sandbox, { namespace, name: "deleted" });
    await bench.until(
      "the deletion in the cache",
      async () => cache.get(Sandbox, `${namespace}/deleted`) === undefined,
    );
    assert.ok(feed.sandbox(`${namespace}/deleted`) !== undefined, "the feed has got no event of the deletion");

    const unused = (): never => assert.fail("not needed at the start");
    const metrics = new SandboxMetrics();
    const controller = tableController({ feed: () => feed, facts: unused, clock: unused, metrics });
    const start = controller.definition.sources?.find(({ name }) => name === "start of the table controller");
    assert.ok(start !== undefined);
    for await (const event of start.open(AbortSignal.timeout(5_000))) start.map(event, cache);

    assert.equal(feed.sandbox(`${namespace}/deleted`), undefined);
    assert.ok(feed.sandbox(`${namespace}/kept`) !== undefined);
  });
});

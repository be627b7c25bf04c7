import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCluster } from "@homeostat/cluster";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { defineOperator } from "@homeostat/operator";
import { applied, defineController } from "@homeostat/runtime";
import { defineResource } from "@homeostat/schema";
import { applyManifests } from "./operator/apply-manifests.ts";
import { startOperator } from "./operator/start-operator.ts";
import { objectOf } from "./reconcile/object-of.ts";
import { reconcileOnce } from "./reconcile/reconcile-once.ts";

const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec: {}, conditions: ["Ready"] });
const metadata = { namespace: "default", name: "shop" };

const sites = defineController({
  for: Site,
  owns: { web: applied(Deployment) },
  async reconcile({ name, owned, setCondition }) {
    await owned.web.apply({
      metadata: { name },
      spec: {
        selector: { matchLabels: { name } },
        template: {
          metadata: { labels: { name } },
          spec: { containers: [{ name: "web", image: "example.com/web:1" }] },
        },
      },
    });
    setCondition("Ready", { status: true, reason: "Applied", message: "" });
  },
});
const operator = defineOperator({ name: "site-operator", resources: [Site], controllers: [sites] });

/** Returns the CPU time of one call in milliseconds, after a few calls that compile the code. The load of the machine hardly affects it. */
async function cpuMs(calls: number, call: () => Promise<void>): Promise<number> {
  for (let count = 0; count < calls; count += 1) await call();
  const before = process.cpuUsage();
  for (let count = 0; count < calls; count += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

// `npm run bench -- testing` measures the times. These limits are several times as high, and catch a mistake such as a server that is started.
describe("a test without a server", () => {
  it("takes milliseconds", async () => {
    const used = await cpuMs(50, async () => {
      assert.equal((await reconcileOnce(sites, [objectOf(Site, { metadata, spec: {} })])).writes.length, 2);
    });

    assert.ok(used < 25, `${used} ms of CPU time`);
  });
});

describe("a test of a whole operator", () => {
  it("takes a fraction of a second", async () => {
    const used = await cpuMs(2, async () => {
      await using cluster = await startCluster({ parts: "api" });
      await using started = await startOperator(cluster, operator);
      await applyManifests(started.client, [Site.make({ metadata, spec: {} })]);
      await started.settled();
      assert.ok(await started.client.get(Deployment, metadata));
    });

    assert.ok(used < 1_500, `${used} ms of CPU time`);
  });
});

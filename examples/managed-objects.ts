// Manages a set of objects: the reconciler returns the desired objects, and the runtime creates, corrects and prunes them.
//
// Prints:
//   created: ConfigMap shop, Service shop, Deployment shop
//   corrected: Service shop (spec.ports changed by a-user)
//   plan: none Service default/shop, update Deployment default/shop (spec.replicas)
//   pruned: ConfigMap shop
//   left after deletion: 0 Deployments

import { startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { silentLogger } from "@homeostat/runtime";
import {
  createClient,
  createManager,
  defineController,
  defineResource,
  desired,
  managed,
  type ObjectOf,
  type OwnershipDefinition,
  type PlannedAction,
  type ReconcileContext,
  s,
  type Stored,
  type SyncResult,
  type Tier,
} from "homeostat";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().default(1), motto: s.string().optional(), retain: s.bool().default(false) },
  conditions: ["Ready"],
});

// region: desired
/** Returns everything that should exist for a site. */
function desiredObjects({ metadata: { name }, spec }: Stored<ObjectOf<typeof Site>>): readonly Tier[] {
  const labels = { "example.com/site": name };
  const containers = [{ name: "web", image: "example.com/web:1", ports: [{ containerPort: 8080 }] }];
  const settings = desired(ConfigMap, { metadata: { name, labels }, data: { motto: spec.motto ?? "" } });
  return [
    { name: "settings", objects: spec.motto === undefined ? [] : [settings] },
    {
      name: "workload",
      objects: [
        desired(Service, {
          metadata: { name, labels },
          spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
        }),
        desired(Deployment, {
          metadata: { name, labels },
          spec: {
            replicas: spec.replicas,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers } },
          },
        }),
      ],
    },
  ];
}
// endregion

const results: SyncResult[] = [];
const plans: string[] = [];
let isPlanning = false;

// region: ownership
/** Objects of a retained site get no owner reference, so that they outlive it; the ownership annotation still names the site. */
const ownership: OwnershipDefinition<ObjectOf<typeof Site>> = { hasReference: ({ spec }) => !spec.retain };

/** Deletes the objects of a site, or releases them if it is retained. */
async function cleanup({
  object,
  managed: objects,
}: Pick<ReconcileContext<ObjectOf<typeof Site>>, "object" | "managed">): Promise<"done" | { requeueAfterMs: number }> {
  if (object.spec.retain) await objects.releaseAll();
  const left = object.spec.retain ? [] : await objects.deleteAll();
  return left.length === 0 ? "done" : { requeueAfterMs: 5_000 };
}
// endregion

// region: controller
const sites = defineController({
  for: Site,
  owns: {
    settings: managed(ConfigMap, { labels: "example.com/site" }),
    services: managed(Service, { labels: "example.com/site" }),
    deployments: managed(Deployment, { labels: "example.com/site" }),
  },
  ownership,
  finalizer: "example.com/sites",
  cleanup,
  async reconcile({ object, managed: objects, setCondition }) {
    if (isPlanning) return planOnly(await objects.plan(desiredObjects(object)));
    const result = await objects.sync(desiredObjects(object));
    results.push(result);
    result.throwIfFailed();
    setCondition("Ready", { status: true, reason: "Applied" });
  },
});
// endregion

await using cluster = await startCluster();
using user = createClient(cluster.connection(), { defaults: { fieldManager: "a-user" } });
await user.create(CustomResourceDefinition, Site.crd());
const stopping = new AbortController();
const manager = createManager({
  name: "sites",
  connection: cluster.connection(),
  controllers: [sites],
  leaderElection: false,
  http: false,
  log: silentLogger,
});
const running = manager.run(stopping.signal);
const key = { namespace: "default", name: "shop" };

const metadata = { ...key };
await eventually(() =>
  user.create(Site, {
    apiVersion: "example.com/v1",
    kind: "Site",
    metadata,
    spec: { replicas: 1, motto: "open", retain: false },
  }),
);
console.log("created:", await eventually(() => named("created").join(", ")));

await user.patch(Service, key, { merge: { spec: { ports: [{ port: 81, targetPort: 8080 }] } } });
console.log("corrected:", await eventually(() => named("corrected").join(", ")));

isPlanning = true;
await user.patch(Site, key, { merge: { spec: { replicas: 2, motto: null } } });
console.log("plan:", await eventually(() => plans.join(", ")));

isPlanning = false;
await user.patch(Site, key, { merge: { metadata: { annotations: { "example.com/again": "1" } } } });
console.log("pruned:", await eventually(() => pruned().join(", ")));

await user.delete(Site, key);
await eventually(async () => ((await user.get(Site, key)) === undefined ? "deleted" : ""));
const { items } = await user.list(Deployment, { namespace: "default" });
console.log("left after deletion:", items.length, "Deployments");

stopping.abort();
await running;

/** Records the planned actions except deletions. */
function planOnly(actions: readonly PlannedAction[]): void {
  plans.length = 0;
  for (const each of actions) {
    const fields = "fields" in each ? each.fields.filter((field) => field.startsWith("spec")) : [];
    if (each.action !== "delete")
      plans.push(`${each.action} ${each.object}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}`);
  }
}

function named(outcome: "created" | "corrected"): readonly string[] {
  const found = results.flatMap(({ outcomes }) => [...outcomes].filter(([, { result }]) => result === outcome));
  return found.map(([{ type, object }, what]) => {
    const drift =
      what.result === "corrected" ? ` (${what.drift.fields.join()} changed by ${what.drift.managers.join()})` : "";
    return `${type.kind} ${object.metadata.name}${drift}`;
  });
}

function pruned(): readonly string[] {
  return results.flatMap((result) => result.pruned.map(({ type, key: { name } }) => `${type.kind} ${name}`));
}

/** Retries for up to half a minute until the attempt succeeds with a non-empty result. */
async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (let left = 600; ; left -= 1) {
    try {
      const found = await attempt();
      if (found !== "") return found;
    } catch (error) {
      if (left === 0) throw error;
    }
    if (left === 0) throw new Error("no result within half a minute");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

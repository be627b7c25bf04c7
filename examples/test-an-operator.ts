// Tests an operator on an embedded cluster: pods that become ready, pods that never do, and a write whose response is lost.
//
// Prints:
//   Site shop: 2 of 2 replicas are ready
//   Site cafe, whose pods are never ready: 0 of 1 replicas are ready
//   Deployments after a lost response: 3

import { startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { silentLogger } from "@homeostat/runtime";
import { applied, createClient, createManager, defineController, defineResource, s } from "homeostat";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().default(1), broken: s.bool().default(false) },
  conditions: ["Ready"],
});

const sites = defineController({
  for: Site,
  owns: { deployments: applied(Deployment) },
  async reconcile({ object: { spec }, name, owned, setCondition }) {
    const labels = { "example.com/site": name };
    // An annotation controls how the simulated node runs the container.
    const annotations = spec.broken ? { "homeostat.dev/simulate": '{"neverReady": true}' } : {};
    const deployment = await owned.deployments.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: { containers: [{ name: "web", image: "example.com/web:1" }] },
        },
      },
    });
    const ready = deployment.status?.readyReplicas ?? 0;
    const message = `${ready} of ${spec.replicas} replicas are ready`;
    setCondition("Ready", { status: ready >= spec.replicas, reason: "Counted", message });
  },
});

// region: start
await using cluster = await startCluster();
using client = createClient(cluster.connection());
await client.create(CustomResourceDefinition, Site.crd());

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
// endregion

// region: behave
console.log("Site shop:", await ready("shop", { replicas: 2, broken: false }, "2 of 2"));
console.log("Site cafe, whose pods are never ready:", await ready("cafe", { replicas: 1, broken: true }, "0 of 1"));
// endregion

// region: fault
cluster.server.faults.add({
  match: ({ info }) => info.verb === "patch" && info.resource === "deployments",
  when: "after",
  action: { do: "cut" },
});
await ready("bar", { replicas: 1, broken: false }, "1 of 1");
const { items } = await client.list(Deployment, { namespace: "default" });
console.log("Deployments after a lost response:", items.length);
// endregion

stopping.abort();
await running;

/** Creates a Site and waits until the message of its Ready condition starts with the given text. */
async function ready(name: string, spec: { replicas: number; broken: boolean }, prefix: string): Promise<string> {
  const metadata = { namespace: "default", name };
  await eventually(() => client.create(Site, { apiVersion: "example.com/v1", kind: "Site", metadata, spec }));
  return eventually(async () => {
    const site = await client.get(Site, metadata);
    const message = site?.status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
    if (!message.startsWith(prefix)) throw new Error(`${name} has the message: ${message}`);
    return message;
  });
}

/** Retries for up to half a minute until the attempt succeeds. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 600; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

import type { Client, Connection } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { applied, createManager, defineController, type Manager, silentLogger } from "@homeostat/runtime";
import { defineResource, s } from "@homeostat/schema";

// The inferred type is long, and only tests in this package use it.
const definition = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().default(1) },
  conditions: ["Ready"],
});

/** Creates the CRD of Sites with the label that the manifests of an operator set, and waits until it is served. */
export async function installSites(client: Client): Promise<void> {
  const labels = { "app.kubernetes.io/name": "site-operator" };
  await client.create(CustomResourceDefinition, definition.crd({ labels }));
  while ((await client.mapper.byKind({ group: "example.com", kind: "Site" })) === undefined)
    await systemClock.sleep(20);
}

/** Creates a Site. */
export async function createSite(client: Client, name: string, replicas = 1): Promise<void> {
  await client.create(definition, definition.make({ metadata: { namespace: "default", name }, spec: { replicas } }));
}

/** Creates an operator that gives each Site a Deployment, with the debug pages on a free port. */
export function siteOperator(connection: Connection): Manager {
  const sites = defineController({
    for: definition,
    owns: { deployments: applied(Deployment) },
    async reconcile({ object: { spec }, name, owned, setCondition }) {
      const labels = { "example.com/site": name };
      const deployment = await owned.deployments.apply({
        metadata: { name },
        spec: {
          replicas: spec.replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example.com/web:1" }] } },
        },
      });
      const ready = deployment.status?.readyReplicas ?? 0;
      const message = `${ready} of ${spec.replicas} replicas are ready`;
      setCondition("Ready", { status: ready >= spec.replicas, reason: "Counted", message });
    },
  });
  return createManager({
    name: "site-operator",
    connection,
    controllers: [sites],
    http: { port: 0, host: "127.0.0.1" },
    log: silentLogger,
    env: {},
  });
}

import type { Client } from "@homeostat/client";
import { ChronikCluster } from "@homeostat/chronik-operator";
import { systemClock } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { LocalWorkload, RouteGroup, RouteTable, Sandbox, SandboxPolicy } from "@homeostat/sandbox-operator";

/** Creates the CRDs of sandbox environments and streaming clusters, and waits until they are served. */
export async function installOperatorKinds(client: Client): Promise<void> {
  const kinds = [Sandbox, RouteGroup, RouteTable, LocalWorkload, SandboxPolicy, ChronikCluster];
  for (const kind of kinds)
    await client.create(CustomResourceDefinition, kind.crd({ labels: { "app.kubernetes.io/name": "an-operator" } }));
  for (const { group, kind } of kinds)
    while ((await client.mapper.byKind({ group, kind })) === undefined) await systemClock.sleep(20);
}

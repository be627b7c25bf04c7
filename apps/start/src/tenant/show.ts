import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { labels, namespaceOf, Tenant } from "@homeostat/tenant-operator";
import type { DemoContext } from "../demo.ts";
import { watchObjects } from "../watch-objects.ts";
import { objectLine, podState, replicasState } from "../view/object-line.ts";
import { objectPrinter } from "../view/object-printer.ts";
import { Deduplicator } from "../view/deduplicator.ts";

/** The tenant to show, and the resources to print with. */
export interface Show extends DemoContext {
  readonly name: string;
}

/** Prints the progress of a tenant: its objects in the order of their creation, and its phase. */
export async function showTenant(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, name, say } = show;
  const deduplicator = new Deduplicator();
  const printer = objectPrinter(deduplicator, say);
  const created = (): string => "created";
  const namespace = namespaceOf(name);
  const labelSelector = `${labels.tenant}=${name}`;
  const selection = { namespace, labelSelector };
  const watchContext = { clock, signal };
  await Promise.all([
    watchObjects(
      client,
      { labelSelector, type: Namespace, onObject: printer<Namespace>("Namespace", namespaceState) },
      watchContext,
    ),
    watchObjects(
      client,
      { ...selection, type: NetworkPolicy, onObject: printer("NetworkPolicy", created) },
      watchContext,
    ),
    watchObjects(client, { ...selection, type: Service, onObject: printer("Service", created) }, watchContext),
    watchObjects(
      client,
      { ...selection, type: StatefulSet, onObject: printer<StatefulSet>("StatefulSet", replicasState) },
      watchContext,
    ),
    watchObjects(
      client,
      { ...selection, type: Deployment, onObject: printer<Deployment>("Deployment", replicasState) },
      watchContext,
    ),
    watchObjects(client, { ...selection, type: Pod, onObject: printer<Pod>("Pod", podState) }, watchContext),
    watchObjects(
      client,
      {
        type: Tenant,
        onObject: (tenant, isDeleted) => {
          if (tenant.metadata.name === name) printTenant(tenant, isDeleted, { ...show, deduplicator });
        },
      },
      watchContext,
    ),
  ]);
}

function namespaceState({ status }: Namespace): string {
  return status?.phase === "Terminating" ? "terminating" : "created";
}

function printTenant(
  { metadata, status }: Tenant,
  isDeleted: boolean,
  { name, deduplicator, say, screen, onFinished }: Show & { readonly deduplicator: Deduplicator },
): void {
  const { uid = "" } = metadata;
  if (isDeleted) {
    if (deduplicator.isNew(uid, "deleted")) say(objectLine("Tenant", name, "deleted"));
    return;
  }
  if (status?.phase === undefined) return;
  const { phase, message } = status;
  if (!deduplicator.isNew(uid, phase)) return;
  say(objectLine("Tenant", name, phase === "Failed" && message !== undefined ? `${phase}: ${message}` : phase));
  if (phase === "Running" && status.urls?.server !== undefined)
    screen.line(`          URL inside the cluster: ${status.urls.server}`);
  if (phase === "Running" || phase === "Failed") onFinished(phase === "Running");
}

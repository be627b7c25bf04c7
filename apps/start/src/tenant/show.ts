import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { labels, namespaceOf, Tenant } from "@homeostat/tenant-operator";
import type { Stage } from "../exhibit.ts";
import { follow } from "../follow.ts";
import { objectLine, podState, replicasState } from "../view/object-line.ts";
import { tellOf } from "../view/tell-of.ts";
import { Told } from "../view/told.ts";

/** What is shown, and where. */
export interface Show extends Stage {
  readonly name: string;
}

/** Shows what becomes of a tenant: what is made for it, in the order of the making, until it is ready. */
export async function showTenant(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, name, say } = show;
  const told = new Told();
  const tell = tellOf(told, say);
  const isMade = (): string => "is made";
  const namespace = namespaceOf(name);
  const labelSelector = `${labels.tenant}=${name}`;
  const its = { namespace, labelSelector };
  const tools = { clock, signal };
  await Promise.all([
    follow(client, { labelSelector, type: Namespace, tell: tell<Namespace>("Namespace", namespaceState) }, tools),
    follow(client, { ...its, type: NetworkPolicy, tell: tell("NetworkPolicy", isMade) }, tools),
    follow(client, { ...its, type: Service, tell: tell("Service", isMade) }, tools),
    follow(client, { ...its, type: StatefulSet, tell: tell<StatefulSet>("StatefulSet", replicasState) }, tools),
    follow(client, { ...its, type: Deployment, tell: tell<Deployment>("Deployment", replicasState) }, tools),
    follow(client, { ...its, type: Pod, tell: tell<Pod>("Pod", podState) }, tools),
    follow(
      client,
      {
        type: Tenant,
        tell: (tenant, isGone) => {
          if (tenant.metadata.name === name) tellTenant(tenant, isGone, { ...show, told });
        },
      },
      tools,
    ),
  ]);
}

function namespaceState({ status }: Namespace): string {
  return status?.phase === "Terminating" ? "goes" : "is made";
}

function tellTenant(
  { metadata, status }: Tenant,
  isGone: boolean,
  { name, told, say, screen, onEnd }: Show & { readonly told: Told },
): void {
  const { uid = "" } = metadata;
  if (isGone) {
    if (told.isNews(uid, "gone")) say(objectLine("Tenant", name, "is gone"));
    return;
  }
  if (status?.phase === undefined) return;
  const { phase, message } = status;
  if (!told.isNews(uid, phase)) return;
  say(objectLine("Tenant", name, phase === "Failed" && message !== undefined ? `${phase}: ${message}` : phase));
  if (phase === "Running" && status.urls?.server !== undefined)
    screen.line(`          its server, within the cluster: ${status.urls.server}`);
  if (phase === "Running" || phase === "Failed") onEnd(phase === "Running");
}

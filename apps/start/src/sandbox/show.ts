import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { labels, RouteGroup, RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import type { DemoContext } from "../demo.ts";
import { Deduplicator } from "../view/deduplicator.ts";
import { objectLine, podState, replicasState } from "../view/object-line.ts";
import { objectPrinter } from "../view/object-printer.ts";
import { watchObjects } from "../watch-objects.ts";
import { groupState, sandboxLines, sandboxState, tableState } from "./lines.ts";

/** The sandbox and the group to show, and the resources to print with. */
export interface Show extends DemoContext {
  readonly name: string;
  readonly group: string;
}

/** Prints the progress of a sandbox: its fork, its phase and key, the route tables, and the group that includes it. */
export async function showSandbox(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, name, group, say, screen, onFinished } = show;
  const deduplicator = new Deduplicator();
  const printer = objectPrinter(deduplicator, say);
  const forks = { namespace, labelSelector: `${labels.sandbox}=${name}` };
  const watchContext = { clock, signal };
  let isRunning = false;
  let isInGroup = false;
  let hasGroupRoute = false;

  // Sandbox, group and table are watched separately, so each of them may be the last.
  const finishIfComplete = (): void => {
    if (isRunning && isInGroup && hasGroupRoute) onFinished(true);
  };
  const onSandbox = (sandbox: Sandbox, isDeleted: boolean): void => {
    const { metadata, status } = sandbox;
    if (metadata.name !== name) return;
    const state = isDeleted ? "deleted" : sandboxState(sandbox);
    if (!deduplicator.isNew(metadata.uid ?? "", state)) return;
    say(objectLine("Sandbox", name, state));
    if (isDeleted) return;
    if (status?.phase === "Failed") return onFinished(false);
    if (status?.phase !== "Running") return;
    for (const line of sandboxLines(sandbox)) screen.line(`          ${line}`);
    isRunning = true;
    finishIfComplete();
  };
  const printTable = printer<RouteTable>("RouteTable", tableState);
  const onTable = (table: RouteTable, isDeleted: boolean): void => {
    printTable(table, isDeleted);
    hasGroupRoute ||= table.spec.entries.some(({ routingKey }) => routingKey === group);
    finishIfComplete();
  };
  const printGroup = printer<RouteGroup>("RouteGroup", groupState);
  const onGroup = (object: RouteGroup, isDeleted: boolean): void => {
    printGroup(object, isDeleted);
    isInGroup ||= object.status?.matchedSandboxes?.includes(name) === true;
    finishIfComplete();
  };

  await Promise.all([
    watchObjects(
      client,
      { ...forks, type: Deployment, onObject: printer<Deployment>("Deployment", replicasState) },
      watchContext,
    ),
    watchObjects(client, { ...forks, type: Service, onObject: printer("Service", () => "created") }, watchContext),
    watchObjects(client, { ...forks, type: Pod, onObject: printer<Pod>("Pod", podState) }, watchContext),
    watchObjects(client, { type: Sandbox, namespace, onObject: onSandbox }, watchContext),
    watchObjects(client, { type: RouteTable, namespace, onObject: onTable }, watchContext),
    watchObjects(client, { type: RouteGroup, namespace, onObject: onGroup }, watchContext),
  ]);
}

import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { labels, RouteGroup, RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import type { DemoContext } from "../demo.ts";
import { Deduplicator } from "../view/deduplicator.ts";
import { objectLine, podState, replicasState } from "../view/object-line.ts";
import { objectPrinter } from "../view/object-printer.ts";
import { firstFailure } from "../first-failure.ts";
import { watchObjects } from "../watch-objects.ts";
import { showRequests } from "./requests.ts";
import type { Routing } from "./routing.ts";
import { groupState, sandboxLines, sandboxState, tableState } from "./lines.ts";

/** The sandbox and the group to show, and the resources to print with. */
export interface Show extends DemoContext {
  readonly name: string;
  readonly group: string;
  /** The Service of the baseline whose pods the sandbox forks. */
  readonly service: string;
  /** Route server and proxies; undefined if the cluster cannot run them. */
  readonly routing?: Pick<Routing, "queryPort"> | undefined;
}

/**
 * Prints the progress of a sandbox: its fork, its phase and key, the route tables, and the group that includes it. Then sends requests with and
 * without the key, if route server and proxies run.
 */
export async function showSandbox(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, name, group, say, screen, onFinished } = show;
  const deduplicator = new Deduplicator();
  const printer = objectPrinter(deduplicator, say);
  const forks = { namespace, labelSelector: `${labels.sandbox}=${name}` };
  const watchContext = { clock, signal };
  let isRunning = false;
  let isInGroup = false;
  let hasGroupRoute = false;

  let requests: Promise<void> | undefined;
  const { failure, fail } = firstFailure();

  const sendRequests = async (): Promise<void> => {
    const { queryPort } = show.routing ?? {};
    if (queryPort !== undefined)
      await showRequests({ context: show, service: show.service, routingKey: name, queryPort }, signal);
    onFinished(true);
  };
  // Sandbox, group and table are watched separately, so each of them may be the last.
  const finishIfComplete = (): void => {
    if (isRunning && isInGroup && hasGroupRoute)
      requests ??= sendRequests().catch((error: unknown) => {
        if (!signal.aborted) fail(error);
      });
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

  const watching = Promise.all([
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
  await Promise.race([watching, failure]);
  await requests;
}

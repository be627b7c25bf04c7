import { findCondition } from "@homeostat/core";
import { RouteGroup } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import type { applyFlags, deleteFlags, filenameFlag, listFlags } from "../command/shared-flags.ts";
import { applyObjects } from "../objects/apply-objects.ts";
import { deleteObject } from "../objects/delete-object.ts";
import { readObject } from "../objects/read-object.ts";
import { selectorOf } from "../objects/selector.ts";
import { waitUntil } from "../objects/wait-until.ts";
import { ageOf, untilText } from "../output/ages.ts";
import { conditionLines, fieldLines } from "../output/describe.ts";
import { type Column, printObjects } from "../output/print-objects.ts";

/** Applies the RouteGroups of files. */
export async function applyGroups(
  input: CommandInput<typeof applyFlags & typeof filenameFlag>,
  context: CommandContext,
): Promise<number> {
  return applyObjects({ type: RouteGroup, word: "routegroup", wait: waitForGroup }, input, context);
}

/**
 * Waits until a group is ready. Does not wait for a group without sandboxes, which becomes ready only when one appears.
 */
async function waitForGroup(
  { client, namespace }: Cluster,
  name: string,
  timeoutMs: number,
  context: CommandContext,
): Promise<RouteGroup> {
  return waitUntil(
    {
      what: `RouteGroup ${namespace}/${name} to be ready`,
      look: async (signal) => {
        const group = await client.get(RouteGroup, { namespace, name }, { signal });
        if (group === undefined)
          throw new CommandError(`RouteGroup ${namespace}/${name} was deleted meanwhile`, exitCodes.notFound);
        const { status } = group;
        if (status.observedGeneration !== group.metadata.generation)
          return { missing: "the operator has not seen the change yet" };
        const ready = findCondition(status.conditions ?? [], "Ready");
        if (ready?.status === "True") return { done: group };
        if (ready?.reason === "NoMatch") {
          context.note(`note: RouteGroup ${namespace}/${name} includes no sandbox yet: ${ready.message}`);
          return { done: group };
        }
        return { missing: `${ready?.reason ?? "Pending"}: ${ready?.message ?? "no condition is reported yet"}` };
      },
      timeoutMs,
      next: `sandboxctl routegroup get ${name} -n ${namespace}`,
    },
    context,
  );
}

function columns(now: number, hasNamespaces: boolean): readonly Column<RouteGroup>[] {
  const namespace: Column<RouteGroup> = { head: "NAMESPACE", cell: ({ metadata }) => metadata.namespace ?? "" };
  return [
    ...(hasNamespaces ? [namespace] : []),
    { head: "NAME", cell: ({ metadata }) => metadata.name ?? "" },
    { head: "KEY", cell: ({ status }) => status.routingKey ?? "" },
    { head: "SANDBOXES", cell: ({ status }) => `${status.readySandboxes ?? 0}/${status.totalSandboxes ?? 0}` },
    { head: "READY", cell: ({ status }) => findCondition(status.conditions ?? [], "Ready")?.status ?? "Unknown" },
    { head: "URL", cell: ({ status }) => status.endpoints?.[0]?.url ?? "" },
    { head: "AGE", cell: ({ metadata }) => ageOf(metadata.creationTimestamp, now) },
    {
      head: "REASON",
      cell: ({ status }) => findCondition(status.conditions ?? [], "Ready")?.reason ?? "",
      isWide: true,
    },
    { head: "EXPIRES", cell: ({ status }) => untilText(status.expiresAt, now), isWide: true },
  ];
}

/** Lists route groups. */
export async function listGroups(input: CommandInput<typeof listFlags>, context: CommandContext): Promise<number> {
  const labelSelector = selectorOf(input.text("selector"));
  const isAll = input.isSet("all-namespaces");
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { items } = await client.list(RouteGroup, {
    ...(isAll ? {} : { namespace }),
    labelSelector,
    signal: context.signal,
  });
  printObjects(
    {
      objects: items,
      columns: columns(context.clock.now(), isAll),
      output: input.output,
      resource: "routegroup",
      none: isAll ? "No route groups found" : `No route groups found in namespace ${namespace}`,
    },
    context,
  );
  return exitCodes.done;
}

/** Shows a route group. */
export async function getGroup(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, print, clock } = context;
  const name = input.argument("NAME");
  const next = `sandboxctl routegroup list -n ${namespace}`;
  const group = await readObject(RouteGroup, { client, namespace, name, signal, next });
  if (input.output === "table") for (const line of describe(group, clock.now())) print(line);
  else {
    printObjects(
      { objects: [group], columns: [], output: input.output, resource: "routegroup", none: "", isSingle: true },
      context,
    );
  }
  return exitCodes.done;
}

function describe({ metadata, spec, status }: RouteGroup, now: number): readonly string[] {
  const { endpoints = [], conflicts = [] } = status;
  return [
    ...fieldLines({
      Name: metadata.name,
      Namespace: metadata.namespace,
      "Routing key": status.routingKey,
      Sandboxes: (status.matchedSandboxes ?? []).join(", ") || "none",
      Age: ageOf(metadata.creationTimestamp, now),
      Expires: untilText(status.expiresAt, now),
      Description: spec.description,
    }),
    ...(endpoints.length === 0 ? [] : ["Endpoints:"]),
    ...endpoints.map(({ name, url, ready }) => `  ${name}: ${url ?? "no address yet"}${ready ? "" : " (not ready)"}`),
    ...(conflicts.length === 0 ? [] : ["Conflicts:"]),
    ...conflicts.map(
      ({ service, winner, losers }) => `  ${service}: ${winner || "no sandbox"} serves it, not ${losers.join(", ")}`,
    ),
    "Conditions:",
    ...conditionLines(status.conditions ?? []),
  ];
}

/** Deletes a route group. */
export async function deleteGroup(input: CommandInput<typeof deleteFlags>, context: CommandContext): Promise<number> {
  const name = input.argument("NAME");
  using cluster = await context.connect(input.connection);
  await deleteObject(
    RouteGroup,
    cluster,
    {
      name,
      word: "routegroup",
      waitMs: input.isSet("wait") ? (input.durationMs("wait-timeout") ?? 0) : undefined,
      missing: ({ status }) => findCondition(status.conditions ?? [], "Ready")?.message ?? "the operator to clean up",
    },
    context,
  );
  context.print(`routegroup/${name} ${input.isSet("wait") ? "deleted" : "is being deleted"}`);
  return exitCodes.done;
}

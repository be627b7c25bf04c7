// Describes the effects of a change of a Sandbox or RouteGroup, for dry runs and `sandboxctl policy check`.

import { isRefusal } from "../build/refusal.ts";
import { hookName } from "../build/provision.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import type { EntryPreview } from "./fork-preview.ts";
import type { PreviewedConflict, RouteChange, RoutePreview } from "./route-preview.ts";

/** An object that the operator would create. */
export interface PreviewedObject {
  readonly kind: "Deployment" | "Service" | "Job";
  readonly namespace: string;
  readonly name: string;
}

/** One effect of a change. */
export type PreviewLine = {
  readonly effect: "create" | "route" | "unroute" | "conflict" | "include";
  /** The effect in words, without a subject: `create Deployment shop/pr-42-cart-<hash>`. */
  readonly text: string;
};

/** Returns the objects that the operator would create for a Sandbox. Hooks run before forks are created. */
export function previewedObjects(sandbox: CachedSandbox, previews: readonly EntryPreview[]): PreviewedObject[] {
  const { namespace = "" } = sandbox.metadata;
  const jobs = sandbox.spec.provision.map(({ name }) => ({
    kind: "Job" as const,
    namespace,
    name: hookName(sandbox, name, "create"),
  }));
  const forks = previews.flatMap(({ fork }): PreviewedObject[] => {
    if (fork === undefined || isRefusal(fork)) return [];
    const { metadata } = fork.deployment;
    return [
      { kind: "Deployment", namespace: metadata.namespace, name: fork.name },
      ...fork.services.services.map(({ service }) => ({
        kind: "Service" as const,
        namespace: service.metadata.namespace,
        name: service.metadata.name,
      })),
    ];
  });
  return [...jobs, ...forks];
}

/** Returns the effects of a change in words. */
export function previewLines({
  objects = [],
  sandboxes = [],
  routes,
  hasUid,
}: {
  readonly objects?: readonly PreviewedObject[];
  /** Sandboxes that a RouteGroup would include. */
  readonly sandboxes?: readonly string[];
  readonly routes: RoutePreview;
  /** False if names still get a hash that depends on the UID of the stored object. */
  readonly hasUid: boolean;
}): PreviewLine[] {
  const shown = (name: string): string => (hasUid ? name : name.replace(/-[0-9a-f]{8}$/, "-<hash>"));
  return [
    ...objects.map(({ kind, namespace, name }) => ({
      effect: "create" as const,
      text: `create ${kind} ${namespace}/${shown(name)}`,
    })),
    ...sandboxes.map((name) => ({ effect: "include" as const, text: `include Sandbox ${name}` })),
    ...routes.changes.map((change) => routeLine(change, shown)),
    ...routes.conflicts.map(conflictLine),
  ];
}

function routeLine({ change, service, entry }: RouteChange, shown: (name: string) => string): PreviewLine {
  const { routingKey, sandbox, workload, ports, percent, match, routeGroup, mode = "Fork" } = entry;
  const conditions = [
    ...(percent === undefined ? [] : [`${percent} % of them`]),
    ...(match === undefined ? [] : ["if their path, method and headers match"]),
  ].join(", ");
  const by = routeGroup === undefined ? "" : ` by RouteGroup ${routeGroup}`;
  const target =
    mode === "Virtual"
      ? "through the proxy to the baseline"
      : `to ${[...new Set(ports.map(({ targetService }) => shown(targetService)))].join(", ")}`;
  const at = ports.length === 0 ? "" : ` port ${ports.map(({ port }) => port).join(", ")}`;
  const requests = `requests with key ${routingKey} for Service ${service}${at}${conditions === "" ? "" : `, ${conditions},`}`;
  const detail = `${requests} ${target} (entry ${workload} of Sandbox ${sandbox})${by}`;
  return change === "added"
    ? { effect: "route", text: `route ${detail}` }
    : { effect: "unroute", text: `stop routing ${detail}` };
}

function conflictLine({ group, service, winner, losers }: PreviewedConflict): PreviewLine {
  const outcome = winner === undefined ? "no sandbox" : `Sandbox ${winner}`;
  const others = losers.length === 0 ? "" : ` instead of ${losers.join(", ")}`;
  return {
    effect: "conflict",
    text: `let ${outcome} serve Service ${service} in RouteGroup ${group}${others}: several sandboxes change it`,
  };
}

/** Limits of API servers for the warnings of one response. */
const warningLengthMax = 256;
const warningsLengthMax = 4_096;

/**
 * Returns lines as warnings of a dry run. An API server truncates longer warnings, and drops all above a total length; the last
 * warning therefore contains the number of omitted ones. `used` is the length of the other warnings of the response.
 */
export function dryRunWarnings(lines: readonly PreviewLine[], used: number): string[] {
  const warnings: string[] = [];
  const texts = lines.map(({ text }) => cut(`dry run: would ${text}`));
  const rest = (count: number): string => `dry run: ${count} more effects; sandboxctl policy check shows all`;
  const room = warningsLengthMax - used;
  let length = 0;
  for (const [index, text] of texts.entries()) {
    const isLast = index === texts.length - 1;
    const reserve = isLast ? 0 : rest(texts.length).length;
    if (length + text.length + reserve > room) {
      const note = rest(texts.length - index);
      return length + note.length <= room ? [...warnings, note] : warnings;
    }
    warnings.push(text);
    length += text.length;
  }
  return warnings;
}

function cut(text: string): string {
  return text.length <= warningLengthMax ? text : `${text.slice(0, warningLengthMax - 3)}...`;
}

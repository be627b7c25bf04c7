import type { RequestCounts } from "../operators/audit-log.ts";

/**
 * Requests of the process that have nothing to do with sandboxes: every minute it reads the Secret and the ConfigMap of the certificate of the
 * route server, and at its start it reviews its own permissions.
 */
export const background: ReadonlySet<string> = new Set([
  "GET secrets",
  "GET configmaps",
  "POST selfsubjectaccessreviews",
]);

/** Returns the number of requests without events and those of the background. */
export function workOf({ byKind }: RequestCounts): number {
  return Object.entries(byKind).reduce((sum, [kind, count]) => (isWork(kind) ? sum + count : sum), 0);
}

function isWork(kind: string): boolean {
  return kind !== "event" && !background.has(kind);
}

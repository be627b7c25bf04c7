import { formatGroupResource, formatKey, type KubeObject, type ResourceType } from "@homeostat/core";
import type { Informer, ListQuery } from "../cache/informer.ts";
import type { ReconcileReads } from "../history/reconcile-reads.ts";
import { ownerIndex } from "../writes/reconcile-scope.ts";

/** Counts the reads of an informer in the reconcile that the calling code is part of. */
export function reportReads(
  informer: Informer<KubeObject, string>,
  type: ResourceType,
  reads: () => ReconcileReads | undefined,
): void {
  const resource = formatGroupResource(type);
  // Values of an index are parts of objects, and those of Secrets must not be shown.
  const isSecret = resource === "secrets";
  informer.reportReads({
    gotObject: (key, isFound) =>
      reads()?.count({ verb: "get", resource, source: "cache", objects: isFound ? 1 : 0 }, () =>
        typeof key === "string" ? key : formatKey(key),
      ),
    listed: (query, objects) =>
      reads()?.count({ verb: "list", resource, source: "cache", objects }, () => queryText(query)),
    foundByIndex: (index, value, objects) =>
      reads()?.count({ verb: "list", resource, source: "cache", objects }, () => {
        if (index === ownerIndex) return "owned objects";
        return isSecret ? `index ${index}` : `index ${index}=${value}`;
      }),
  });
}

/** Returns the selection of a list as text: `all in shop with app=web`. */
export function queryText({ namespace = "", labels = "" }: ListQuery): string {
  const selector = typeof labels === "string" ? labels : labels.toString();
  return `all${namespace === "" ? "" : ` in ${namespace}`}${selector === "" ? "" : ` with ${selector}`}`;
}

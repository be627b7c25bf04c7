import type { DeepReadonly, Stored } from "homeostat";
import type { Problem } from "@homeostat/schema";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { clusterProblems } from "./validate.ts";

/** Number of clusters whose problems are remembered. */
const countMax = 10_000;

/**
 * Validates clusters, and remembers the problems of the last version of each one.
 *
 * Every reconcile validates its cluster, and most clusters have not changed since the last one. The cached object cannot be the key: an idle program
 * drops parsed objects, and parses them again for the next reconcile. One instance belongs to one process, whose settings are fixed.
 */
export class KnownProblems {
  readonly #found = new Map<string, { readonly version: string; readonly problems: readonly Problem[] }>();

  /** Returns all problems of a cluster; empty if its objects can be built. */
  of(cluster: DeepReadonly<Stored<ChronikCluster>>, settings: ResolveSettings): readonly Problem[] {
    const { uid, resourceVersion: version } = cluster.metadata;
    const known = this.#found.get(uid);
    if (known !== undefined && known.version === version) return known.problems;
    const problems = clusterProblems(cluster, settings);
    if (known !== undefined || this.#found.size < countMax) this.#found.set(uid, { version, problems });
    return problems;
  }

  /** Forgets a deleted cluster. */
  forget(uid: string): void {
    this.#found.delete(uid);
  }

  /** Forgets all clusters, when this process stops leading. */
  clear(): void {
    this.#found.clear();
  }
}

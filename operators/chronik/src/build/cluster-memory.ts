import type { DeepReadonly, Stored } from "homeostat";
import type { ChronikCluster } from "../api/chronik-cluster.ts";

/** Number of clusters that are remembered. */
const countMax = 10_000;

/**
 * Caches values computed for the last version of each cluster.
 *
 * Most clusters have not changed since their last reconcile. The cached object cannot be the key: an idle program drops parsed objects, and parses them again
 * for the next reconcile. One instance belongs to one process, whose settings are fixed.
 */
export class ClusterMemory<T> {
  readonly #known = new Map<string, { readonly inputs: string; readonly value: T }>();

  /** Returns the remembered value. Computes it for a new version of the cluster, and if `inputs`, its other dependencies, have changed. */
  of(cluster: DeepReadonly<Stored<ChronikCluster>>, inputs: string, compute: () => T): T {
    const { uid, resourceVersion } = cluster.metadata;
    const known = this.#known.get(uid);
    const all = `${resourceVersion} ${inputs}`;
    if (known !== undefined && known.inputs === all) return known.value;
    const value = compute();
    if (known !== undefined || this.#known.size < countMax) this.#known.set(uid, { inputs: all, value });
    return value;
  }

  /** Forgets a deleted cluster. */
  forget(uid: string): void {
    this.#known.delete(uid);
  }

  /** Forgets all clusters, when this process stops leading. */
  clear(): void {
    this.#known.clear();
  }

  /** Number of remembered clusters. */
  get size(): number {
    return this.#known.size;
  }
}

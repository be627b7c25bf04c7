import type { Kubeconfig } from "./kubeconfig.ts";

/**
 * Merges kubeconfigs as kubectl does: for entries with the same name, the first file wins.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: firstOf(configs.map(({ clusters }) => clusters)),
    users: firstOf(configs.map(({ users }) => users)),
    contexts: firstOf(configs.map(({ contexts }) => contexts)),
    files: configs.flatMap(({ files }) => files),
  };
}

function firstOf<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  return merged;
}

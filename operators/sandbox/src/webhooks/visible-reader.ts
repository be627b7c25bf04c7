// Reads of a user who may not see the whole cluster.

import { ForbiddenError } from "@homeostat/core";
import type { CachedRouteGroup } from "../api/route-group.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/** Options of {@link visibleReader}. */
export interface VisibleReaderOptions {
  /** Namespace whose objects stand for those of the cluster if the user may not list these. */
  readonly namespace: string;
  readonly routeGroupsIn: (namespace: string, signal: AbortSignal) => Promise<readonly CachedRouteGroup[]>;
  /** Called for each check that is incomplete because of a read that the API server has refused. */
  readonly onHidden: (reason: string) => void;
}

/**
 * Returns a reader that goes on with less when the API server forbids a read: with the objects of one namespace instead of all, and without the
 * policies. Reads without which nothing can be checked, such as that of the workload, still fail.
 */
export function visibleReader(
  reader: ClusterReader,
  { namespace, routeGroupsIn, onHidden }: VisibleReaderOptions,
): ClusterReader {
  const unlessForbidden = async <T>(read: () => Promise<T>, instead: () => Promise<T>, reason: string): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      onHidden(reason);
      return instead();
    }
  };
  const withoutPolicies = (of: string): string =>
    `The policies of namespace ${of} are not checked: you are not allowed to get the namespace and list its sandboxpolicies.`;
  return {
    ...reader,
    namespaceLabels: (name, signal) =>
      unlessForbidden(
        () => reader.namespaceLabels(name, signal),
        () => Promise.resolve({}),
        withoutPolicies(name),
      ),
    policies: (name, signal) =>
      unlessForbidden(
        () => reader.policies(name, signal),
        () => Promise.resolve([]),
        withoutPolicies(name),
      ),
    sandboxes: (name, signal) =>
      name !== undefined
        ? reader.sandboxes(name, signal)
        : unlessForbidden(
            () => reader.sandboxes(undefined, signal),
            () => reader.sandboxes(namespace, signal),
            elsewhere("sandboxes"),
          ),
    routeGroups: (signal) =>
      unlessForbidden(
        () => reader.routeGroups(signal),
        () => routeGroupsIn(namespace, signal),
        elsewhere("routegroups"),
      ),
  };
}

function elsewhere(resource: string): string {
  return `Routing keys, hosts and routes are not compared with those of other namespaces: you are not allowed to list ${resource} there.`;
}

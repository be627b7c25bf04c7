import type { ComponentType } from "preact";
import type { ResourceView } from "../../api/types.ts";
import { ClusterPart } from "../chronik/cluster-part.tsx";
import { RouteGroupPart } from "../sandbox/route-group-part.tsx";
import { SandboxPart } from "../sandbox/sandbox-part.tsx";
import type { KindFeed } from "../common/kind-feed.ts";
import { PodPart } from "../log/pod-part.tsx";
import { LoadTestPart } from "../load-tests/load-test-part.tsx";
import { TenantPart } from "../tenants/tenant-part.tsx";

/** Properties of the part of a resource page that only one kind has. */
export interface KindPartProps {
  readonly resource: ResourceView;
  /** Messages of the server with data that only this kind has. */
  readonly feed: KindFeed;
}

/**
 * Parts of the resource page for single kinds, by `KIND.GROUP`. They are shown above the tree. A kind without an entry has the parts that all kinds
 * have: tree, conditions, events, status changes and YAML.
 */
const kindParts: ReadonlyMap<string, ComponentType<KindPartProps>> = new Map([
  ["ChronikCluster.chronik.stream", ClusterPart],
  ["Sandbox.sandbox.example.com", SandboxPart],
  ["RouteGroup.sandbox.example.com", RouteGroupPart],
  ["LocustTest.locust.io", LoadTestPart],
  ["Tenant.neurallog.io", TenantPart],
  // A kind of the core group.
  ["Pod.", PodPart],
]);

/** Returns the part of a kind; undefined if it has none. */
export function kindPart({
  group,
  kind,
}: {
  readonly group: string;
  readonly kind: string;
}): ComponentType<KindPartProps> | undefined {
  return kindParts.get(`${kind}.${group}`);
}

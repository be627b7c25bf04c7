// Views of the objects that routes are compiled from: only the fields that matter for routes, as plain values. The compiler ignores changes of other
// fields, because the views stay equal.

import type { LabelSelectorObject, Labels } from "@homeostat/core";
import type { EntryMatch, EntryMode, Fault, Interception, OnUnavailable, StickyBy } from "@homeostat/routing";
import type { ConflictPolicy } from "./conflicts.ts";
import type { MatchNode } from "./match.ts";

/** The identity and age of an object. */
export interface ObjectView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `metadata.creationTimestamp`. */
  readonly createdAt: string;
}

/** A Sandbox. */
export interface SandboxView extends ObjectView {
  readonly metadataLabels: Labels;
  readonly specLabels: Labels;
  /** `status.routingKey`; undefined until the operator has chosen the key. */
  readonly routingKey: string | undefined;
  readonly priority: number;
  readonly isDeleting: boolean;
  readonly isSuspended: boolean;
  /** Entries in the order of the spec. */
  readonly entries: readonly EntryView[];
  readonly faults: readonly FaultView[];
  /** Seconds without a request after which its forks sleep; undefined if they never do. */
  readonly sleepAfterSeconds?: number | undefined;
  /** True if proxies log its requests. */
  readonly isLogged?: boolean | undefined;
}

/** An entry of a sandbox with the Services that it overrides. */
export interface EntryView {
  readonly name: string;
  readonly mode: EntryMode;
  readonly onUnavailable: OnUnavailable;
  /** Seconds for which a request waits for a ready target; undefined for the default of the proxy. */
  readonly holdSeconds: number | undefined;
  readonly overrides: readonly OverrideView[];
}

/** A baseline Service that an entry overrides. */
export interface OverrideView {
  readonly namespace: string;
  /** Name of the baseline Service. */
  readonly service: string;
  /** Service of the fork or of the tunnel, in the same namespace. Undefined for Virtual entries, and for entries without one. */
  readonly targetService: string | undefined;
  /** Ports of the baseline Service that the target serves. */
  readonly ports: readonly number[];
}

/** A fault that a sandbox injects into the requests with its key. */
export interface FaultView extends Fault {
  /** Name of a Service that the sandbox overrides. */
  readonly service: string;
}

/** A LocalWorkload. */
export interface LocalWorkloadView extends ObjectView {
  /** Name of the sandbox in the same namespace. */
  readonly sandbox: string;
  /** Name of an entry of the sandbox, or of a baseline Service. */
  readonly workload: string;
  readonly isDeleting: boolean;
  /** True from the first attachment of a machine until the connection has timed out. */
  readonly isRouted: boolean;
  readonly onUnavailable: OnUnavailable;
  readonly holdSeconds: number | undefined;
  readonly overrides: readonly OverrideView[];
}

/** A RouteGroup. */
export interface RouteGroupView extends ObjectView {
  readonly match: MatchNode | undefined;
  /** Selector of baseline Services. Undefined for all. */
  readonly selector: LabelSelectorObject | undefined;
  /** `status.routingKey`; undefined until the operator has chosen the key. */
  readonly routingKey: string | undefined;
  readonly routes: readonly ExplicitRouteView[];
  readonly conflictPolicy: ConflictPolicy;
  readonly isDeleting: boolean;
}

/** An explicit route of a RouteGroup. */
export interface ExplicitRouteView {
  /** Key of the requests; undefined for the key of the group. */
  readonly routingKey: string | undefined;
  /** Name of a sandbox in the namespace of the group. */
  readonly targetSandbox: string;
  /** Names of entries of the sandbox; undefined for all. */
  readonly entries: readonly string[] | undefined;
  readonly match: EntryMatch | undefined;
  readonly percent: number;
  readonly stickyBy: StickyBy;
  readonly stickyHeader: string | undefined;
  readonly additionalHeaders: Readonly<Record<string, string>>;
}

/** A Service of the baseline. */
export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly ports: readonly ServicePortView[];
  /** Interception mode of the Service. */
  readonly interception: Interception;
  /** True if proxies restore lost keys of its requests. */
  readonly restoresKeys?: boolean | undefined;
}

/** A TCP port of a Service. */
export interface ServicePortView {
  readonly port: number;
  readonly name: string | undefined;
  readonly appProtocol: string | undefined;
  /** Port of the pods, by its name or number. */
  readonly targetPort?: string | number | undefined;
}

/** All objects that routes are compiled from. */
export interface RouteViews {
  readonly sandboxes: Iterable<SandboxView>;
  readonly groups: Iterable<RouteGroupView>;
  readonly workloads: Iterable<LocalWorkloadView>;
  readonly services: Iterable<ServiceView>;
}

/** Returns the key by which tables, groups and sandboxes are found: `namespace/name`. */
export function viewKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

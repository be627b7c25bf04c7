// Values about sandbox environments that the server sends to the page as JSON.

import type { Explanation } from "@homeostat/routing";
import type { Health, ObjectRef } from "./types.ts";

/** Notes about objects that the user cannot see. */
export interface WithNotes {
  readonly notes: readonly string[];
}

/** A Sandbox in the list. */
export interface SandboxRow extends ObjectRef, Health {
  readonly uid: string;
  /** User who created it; empty if unknown. */
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly routingKey: string;
  /** RFC 3339; empty if it never expires. */
  readonly expiresAt: string;
  /** Ready entries of all entries: `1/2`. */
  readonly services: string;
  /** Worst drift of its entries; empty if unknown. */
  readonly drift: string;
}

/** All Sandboxes. */
export interface SandboxList extends WithNotes {
  readonly rows: readonly SandboxRow[];
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
}

/** A form in which a request carries a routing key. */
export interface KeyForm {
  /** `Header x-routing-key`. */
  readonly label: string;
  /** `x-routing-key: k3v9q2m7x1c4d`. */
  readonly text: string;
}

/** A difference between the pod templates of a fork and its baseline. */
export interface TemplateChange {
  readonly path: string;
  readonly old?: string | undefined;
  readonly new?: string | undefined;
}

/** Differences of a fork from its baseline. */
export interface EntryDiff {
  readonly entry: string;
  readonly changes: readonly TemplateChange[];
  readonly omitted: number;
  /** Reason why there is no comparison; undefined if there is one. */
  readonly problem?: string | undefined;
}

/** Parts of the page of a Sandbox that its object does not have. */
export interface SandboxDetails {
  readonly keyForms: readonly KeyForm[];
  /** Command that sends a request with the key; undefined if the sandbox has no Service yet. */
  readonly curl?: string | undefined;
  readonly diffs: readonly EntryDiff[];
}

/** A node of a match tree with the sandboxes that it matches at present. */
export interface MatchResult {
  /** `label team is web-*`, `any of`. */
  readonly text: string;
  readonly matched: readonly string[];
  readonly children: readonly MatchResult[];
}

/** A Service that several sandboxes of a group change. */
export interface ConflictView {
  readonly service: string;
  /** Empty if none serves it. */
  readonly winner: string;
  readonly losers: readonly string[];
  readonly why: string;
}

/** Parts of the page of a RouteGroup that its object does not have. */
export interface RouteGroupDetails extends WithNotes {
  /** Undefined if the group has no match tree. */
  readonly match?: MatchResult | undefined;
  /** Names of all sandboxes of the namespace. */
  readonly sandboxes: readonly string[];
  readonly conflicts: readonly ConflictView[];
}

/** A node of the route map. */
export interface MapNode {
  readonly id: string;
  readonly type: "host" | "service" | "fork" | "tunnel" | "virtual";
  readonly label: string;
  /** Second line: `sandbox pr-42`. */
  readonly detail: string;
  /** Routing key of a fork, tunnel or host; empty for a Service. */
  readonly key: string;
  /** Object that the node leads to. */
  readonly ref?: Pick<ObjectRef, "group" | "kind" | "namespace" | "name"> | undefined;
}

/** A way of requests in the route map. */
export interface MapEdge {
  readonly from: string;
  readonly to: string;
  readonly key: string;
  /** Conditions: `key pr-42, 50 %, path /api`. */
  readonly label: string;
}

/** Services with the forks and tunnels beside them. */
export interface RouteMap extends WithNotes {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  /** Number of Services that are left out because of the size limit. */
  readonly omitted: number;
}

/** A machine of a developer. */
export interface TunnelRow extends ObjectRef, Health {
  readonly uid: string;
  readonly sandbox: string;
  readonly service: string;
  /** `web: 8080 to 127.0.0.1:3000`. */
  readonly ports: readonly string[];
  /** Host name or ID; empty if no machine was ever attached. */
  readonly machine: string;
  readonly user: string;
  readonly isConnected: boolean;
  /** RFC 3339 of the attachment, or of its end; empty if there was none. */
  readonly since: string;
  readonly roundTripMs?: number | undefined;
  /** State of the local ports: `Listening`. */
  readonly localPorts: string;
}

/** All LocalWorkloads. */
export interface TunnelList extends WithNotes {
  readonly rows: readonly TunnelRow[];
  readonly mayDelete: boolean;
}

/** The effective policy of a namespace. */
export interface PolicyRow {
  readonly namespace: string;
  readonly policies: readonly string[];
  /** Names and values in the order of the API; empty until the operator has combined the policies. */
  readonly limits: readonly { readonly name: string; readonly value: string }[];
}

/** Effective policies of all namespaces. */
export interface PolicyList extends WithNotes {
  readonly rows: readonly PolicyRow[];
}

/** A workload of the baseline that a sandbox can change. */
export interface WorkloadRow {
  readonly kind: "Deployment" | "StatefulSet";
  readonly name: string;
  readonly containers: readonly { readonly name: string; readonly image: string }[];
}

/** Workloads of a namespace. */
export interface WorkloadList extends WithNotes {
  readonly rows: readonly WorkloadRow[];
  /** True if the user may create Sandboxes in the namespace. */
  readonly mayCreate: boolean;
}

/** A sandbox that is not created yet: its manifest, and what admission would decide about it. */
export interface SandboxPreview extends WithNotes {
  readonly yaml: string;
  /** Reasons why the API server would refuse it; empty if it would be accepted. */
  readonly denials: readonly string[];
  readonly warnings: readonly string[];
  /** Objects that the operator would create, and routes that would change. */
  readonly effects: readonly string[];
}

/** A Service that calls another one without the routing key of the request that it serves. */
export interface LostKeyRow {
  readonly sandbox: ObjectRef;
  readonly routingKey: string;
  readonly namespace: string;
  /** Service that lost the key. */
  readonly from: string;
  /** Service that was called without it. */
  readonly to: string;
  /** Sampled requests. */
  readonly count: number;
  /** ID of one of their traces. */
  readonly traceId: string;
  /** RFC 3339. */
  readonly lastTime: string;
}

/** Services that lost routing keys in the last hour. */
export interface Propagation extends WithNotes {
  readonly rows: readonly LostKeyRow[];
}

/** A program of the system namespace. */
export interface ProgramRow extends Health {
  readonly name: string;
  readonly replicas: string;
  readonly version: string;
}

/** A route table with the proxies that follow it. */
export interface TableRow extends ObjectRef, Health {
  readonly tableVersion: string;
  readonly interception: string;
  readonly entries: number;
  /** Proxies with the present version of all live proxies: `2/2`. */
  readonly proxies: string;
  /** `replica-a takeover 1/1`. */
  readonly replicas: readonly string[];
}

/** A Service whose requests the routing proxy receives. */
export interface TakenOverRow {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Command that restores it; undefined if its original selector is not recorded. */
  readonly restore?: string | undefined;
}

/** Programs, proxies and Services of the sandbox environment. */
export interface SandboxSystem extends WithNotes {
  readonly programs: readonly ProgramRow[];
  readonly tables: readonly TableRow[];
  readonly takenOver: readonly TakenOverRow[];
  /** True if the user may restore Services. */
  readonly mayRestore: boolean;
}

/** Result of an explanation: the way of one request, or the reason why there is none. */
export interface ExplainView extends WithNotes {
  readonly problem?: string | undefined;
  readonly explanation?: Explanation | undefined;
}

// The page of a ChronikCluster, from its status and the tree of its objects.

import type { ResourceView, TreeNode } from "../api/types.ts";
import { listIn, numberIn, recordIn, textIn } from "../health/fields.ts";

/** Roles of members, in the order in which they restart, with the field of the status that counts them. */
export const roles = [
  { role: "controller", counts: "controllers" },
  { role: "ingest", counts: "ingestNodes" },
  { role: "search", counts: "searchNodes" },
] as const;

/** Gates of the restarts of a role, in the order in which the operator checks them. The first closed gate is in the status. */
export const gatesOfRoles: Readonly<Record<string, readonly string[]>> = {
  controller: [
    "Manual",
    "Window",
    "RolloutLimit",
    "Scaling",
    "Observed",
    "Terminating",
    "NewPodNotReady",
    "Canary",
    "Delay",
    "Quorum",
    "Budget",
  ],
  ingest: [
    "Manual",
    "Window",
    "RolloutLimit",
    "Scaling",
    "Observed",
    "TierOrder",
    "Terminating",
    "NewPodNotReady",
    "Canary",
    "Delay",
    "Availability",
    "ComponentCheck",
    "Budget",
  ],
};

/** A member of a cluster. */
export interface Member {
  readonly node: TreeNode;
  readonly role: string;
  readonly isLeader: boolean;
  /** Note of the rollout: `restarted last`, `is being removed`. */
  readonly note: string;
}

/** A gate before the next restart. `unchecked`: a gate before it is closed. */
export interface GateState {
  readonly name: string;
  readonly state: "open" | "closed" | "unchecked";
}

/** Progress of the rollout of a role. */
export interface RoleProgress {
  readonly role: string;
  readonly desired: number;
  readonly ready: number;
  readonly updated: number;
  readonly outdated: number;
  /** Reason of the closed gate; empty if none is closed. */
  readonly message: string;
  /** RFC 3339; empty if no gate is closed. */
  readonly blockedSince: string;
  /** Empty if no pod has to restart. */
  readonly gates: readonly GateState[];
}

/** A step of the operator's plan. */
export interface PlanStep {
  readonly step: string;
  readonly component: string;
  readonly target: string;
  /** Empty for the step that is performed now. */
  readonly waitsFor: string;
}

/** State of a cluster. */
export interface ClusterState {
  readonly members: readonly Member[];
  readonly leader: string;
  readonly voters: number;
  /** Voters that are ready and have caught up with the leader. */
  readonly caughtUp: number;
  readonly progress: readonly RoleProgress[];
  readonly plan: readonly PlanStep[];
  readonly bootstrapServers: string;
  /** RFC 3339; empty if no rollout is in progress. */
  readonly rolloutSince: string;
  readonly lastError: string;
}

/** Returns the state of a cluster. */
export function clusterState({ status, tree, ref }: Pick<ResourceView, "status" | "tree" | "ref">): ClusterState {
  const quorum = recordIn(status, "quorum");
  const rollout = recordIn(status, "rollout");
  const leader = textIn(quorum, "leader");
  const restarted = textIn(rollout, "pod");
  const removed = new Set(listIn(status, "scaleDown").map((one) => textIn(one, "pod")));
  const members = tree
    .filter(({ kind, group }) => kind === "Pod" && group === "")
    .flatMap((node): Member[] => {
      const role = roles.find((one) => node.name.startsWith(`${ref.name}-${one.role}-`))?.role;
      if (role === undefined) return [];
      const note = removed.has(node.name) ? "is being removed" : node.name === restarted ? "restarted last" : "";
      return [{ node, role, isLeader: node.name === leader, note }];
    })
    .toSorted((one, other) => orderOf(one).localeCompare(orderOf(other), "en", { numeric: true }));
  return {
    members,
    leader,
    voters: numberIn(quorum, "voters") ?? 0,
    caughtUp: numberIn(quorum, "ready") ?? 0,
    progress: roles.map(({ role, counts }) => progressOf(role, { status, rollout, counts })),
    plan: listIn(status, "plan").map((step) => ({
      step: textIn(step, "step"),
      component: textIn(step, "component"),
      target: textIn(step, "target"),
      waitsFor: textIn(step, "waitsFor"),
    })),
    bootstrapServers: textIn(status, "bootstrapServers"),
    rolloutSince: textIn(rollout, "startedAt"),
    lastError: textIn(recordIn(status, "lastError"), "message"),
  };
}

function orderOf({ role, node }: Member): string {
  return `${roles.findIndex((one) => one.role === role)} ${node.name}`;
}

function progressOf(
  role: string,
  { status, rollout, counts }: { readonly status: unknown; readonly rollout: unknown; readonly counts: string },
): RoleProgress {
  const count = (field: string): number => numberIn(recordIn(status, field), counts) ?? 0;
  const component = listIn(rollout, "components").find((one) => textIn(one, "component") === role);
  const outdated = numberIn(component, "outdated") ?? 0;
  return {
    role,
    desired: count("desiredReplicas"),
    ready: count("readyReplicas"),
    updated: count("updatedReplicas"),
    outdated,
    message: textIn(component, "message"),
    blockedSince: textIn(component, "blockedSince"),
    gates: outdated === 0 ? [] : gateStates(gatesOfRoles[role] ?? [], textIn(component, "blockedBy")),
  };
}

/** Returns the states of gates that are checked in order: those before the closed one are open, those after it are not checked. */
export function gateStates(gates: readonly string[], closed: string): GateState[] {
  const known = closed === "" || gates.includes(closed) ? gates : [...gates, closed];
  const at = closed === "" ? known.length : known.indexOf(closed);
  return known.map((name, index) => ({ name, state: index < at ? "open" : index === at ? "closed" : "unchecked" }));
}

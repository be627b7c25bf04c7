// The FlowSchemas and PriorityLevelConfigurations that kube-apiserver creates at start. This server does not limit concurrency: the
// objects can be read and changed, but requests are only classified by them, never queued or rejected.

import { formatTime, type JsonRecord } from "@homeostat/core";
import { ownedKeys, type StoreTools, storeOwn } from "./store-own.ts";

/** API group of priority and fairness. */
export const flowGroup = "flowcontrol.apiserver.k8s.io";
const version = "v1";
const annotations = { "apf.kubernetes.io/autoupdate-spec": "true" };
const producer = "api-priority-and-fairness-config-producer-v1";
/** Field manager of the conditions of FlowSchemas. */
export const flowConsumer = "api-priority-and-fairness-config-consumer-v1";

type Queues = readonly [queues: number, handSize: number, queueLengthLimit: number];

const limited = (shares: number, lendablePercent: number, queues?: Queues): JsonRecord => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse:
      queues === undefined
        ? { type: "Reject" }
        : { type: "Queue", queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: queues[2] } },
    lendablePercent,
  },
});

/** In the order in which kube-apiserver creates them. */
const levels: readonly (readonly [name: string, spec: JsonRecord])[] = [
  ["system", limited(30, 33, [64, 6, 50])],
  ["node-high", limited(40, 25, [64, 6, 50])],
  ["leader-election", limited(10, 0, [16, 4, 50])],
  ["workload-high", limited(40, 50, [128, 6, 50])],
  ["workload-low", limited(100, 90, [128, 6, 50])],
  ["global-default", limited(20, 50, [128, 6, 50])],
  ["catch-all", limited(5, 0)],
  ["exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
];

const everywhere = { clusterScope: true, namespaces: ["*"] };
const anything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], ...everywhere }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: ["*"] };
const inGroup = (name: string): JsonRecord => ({ kind: "Group", group: { name } });
const user = (name: string): JsonRecord => ({ kind: "User", user: { name } });
const systemAccounts = { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } };
const everybody = [inGroup("system:unauthenticated"), inGroup("system:authenticated")];
const controllerManager = user("system:kube-controller-manager");
const scheduler = user("system:kube-scheduler");

interface Flow {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  readonly by?: "ByUser" | "ByNamespace";
  readonly rule: JsonRecord;
}

const flows: readonly Flow[] = [
  {
    name: "system-nodes",
    level: "system",
    precedence: 500,
    by: "ByUser",
    rule: { subjects: [inGroup("system:nodes")], ...anything },
  },
  {
    name: "system-node-high",
    level: "node-high",
    precedence: 400,
    by: "ByUser",
    rule: {
      subjects: [inGroup("system:nodes")],
      resourceRules: [
        { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], ...everywhere },
        { verbs: ["*"], ...leases },
      ],
    },
  },
  {
    name: "probes",
    level: "exempt",
    precedence: 2,
    rule: {
      subjects: everybody,
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    },
  },
  {
    name: "system-leader-election",
    level: "leader-election",
    precedence: 100,
    by: "ByUser",
    rule: {
      subjects: [controllerManager, scheduler, systemAccounts],
      resourceRules: [{ verbs: ["get", "create", "update"], ...leases }],
    },
  },
  {
    name: "kube-controller-manager",
    level: "workload-high",
    precedence: 800,
    by: "ByNamespace",
    rule: { subjects: [controllerManager], ...anything },
  },
  {
    name: "kube-scheduler",
    level: "workload-high",
    precedence: 800,
    by: "ByNamespace",
    rule: { subjects: [scheduler], ...anything },
  },
  {
    name: "kube-system-service-accounts",
    level: "workload-high",
    precedence: 900,
    by: "ByNamespace",
    rule: { subjects: [systemAccounts], ...anything },
  },
  {
    name: "service-accounts",
    level: "workload-low",
    precedence: 9000,
    by: "ByUser",
    rule: { subjects: [inGroup("system:serviceaccounts")], ...anything },
  },
  {
    name: "global-default",
    level: "global-default",
    precedence: 9900,
    by: "ByUser",
    rule: { subjects: everybody, ...anything },
  },
  {
    name: "catch-all",
    level: "catch-all",
    precedence: 10_000,
    by: "ByUser",
    rule: { subjects: everybody, ...anything },
  },
  { name: "exempt", level: "exempt", precedence: 1, rule: { subjects: [inGroup("system:masters")], ...anything } },
];

/** Stores the priority levels and FlowSchemas that every server starts with. */
export function storeFlowControl(tools: StoreTools): void {
  const time = formatTime(tools.nowMs);
  for (const [name, spec] of levels) {
    storeOwn(
      {
        group: flowGroup,
        version,
        kind: "PriorityLevelConfiguration",
        plural: "prioritylevelconfigurations",
        name,
        generation: 1,
        annotations,
        content: { spec, status: {} },
        managers: [{ manager: producer, operation: "Update", fields: madeFields(fieldsOf(spec)) }],
      },
      tools,
    );
  }
  for (const { name, level, precedence, by, rule } of flows) {
    storeOwn(
      {
        group: flowGroup,
        version,
        kind: "FlowSchema",
        plural: "flowschemas",
        name,
        generation: 1,
        annotations,
        content: {
          spec: {
            priorityLevelConfiguration: { name: level },
            matchingPrecedence: precedence,
            ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
            rules: [rule],
          },
          status: { conditions: [danglingCondition(level, { exists: true, time })] },
        },
        managers: [
          { manager: flowConsumer, operation: "Apply", fields: conditionFields, subresource: "status" },
          { manager: producer, operation: "Update", fields: madeFields(flowFields(by !== undefined)) },
        ],
      },
      tools,
    );
  }
}

/** Returns the condition of a FlowSchema that reports whether its priority level exists. */
export function danglingCondition(
  level: string,
  { exists, time }: { readonly exists: boolean; readonly time: string },
): Readonly<Record<"type" | "status" | "lastTransitionTime" | "reason" | "message", string>> {
  const end = exists ? "and it exists" : "but there is no such object";
  return {
    type: "Dangling",
    status: exists ? "False" : "True",
    lastTransitionTime: time,
    reason: exists ? "Found" : "NotFound",
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${end}`,
  };
}

/** Fields owned by the manager of the condition. */
export const conditionFields: JsonRecord = {
  "f:status": {
    "f:conditions": {
      'k:{"type":"Dangling"}': {
        ".": {},
        "f:lastTransitionTime": {},
        "f:message": {},
        "f:reason": {},
        "f:status": {},
        "f:type": {},
      },
    },
  },
};

function madeFields(spec: JsonRecord): JsonRecord {
  return { "f:metadata": { "f:annotations": ownedKeys(annotations) }, "f:spec": spec };
}

function flowFields(isDistinguished: boolean): JsonRecord {
  return {
    ...(isDistinguished ? { "f:distinguisherMethod": { ".": {}, "f:type": {} } } : {}),
    "f:matchingPrecedence": {},
    "f:priorityLevelConfiguration": { "f:name": {} },
    "f:rules": {},
  };
}

/** Returns the field set of a spec and of its nested objects. */
function fieldsOf(part: JsonRecord): JsonRecord {
  const fields = Object.entries(part).map(([name, value]): [string, JsonRecord] => [
    `f:${name}`,
    typeof value === "object" && value !== null ? { ".": {}, ...fieldsOf({ ...value }) } : {},
  ]);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

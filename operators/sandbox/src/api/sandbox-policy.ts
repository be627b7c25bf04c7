import { type DeepReadonly, defineResource, type InputOf, type ObjectOf, s } from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { initialConditions, pendingReason } from "./conditions.ts";
import { atLeastRule } from "./duration.ts";
import { category, group, version } from "./identity.ts";
import {
  dnsLabel,
  duration,
  interceptionModes,
  labelSelector,
  metadataName,
  nameRule,
  objectName,
  quantity,
  targetKinds,
} from "./spec-common.ts";

/** The condition types of a SandboxPolicy, and the reasons of each. */
export const sandboxPolicyReasons = {
  Accepted: [pendingReason, "Valid", "InvalidSpec"],
} as const;

const glob = (lengthMax: number) => s.string().min(1).max(lengthMax);

const targetRule = s
  .object({
    kind: s
      .enum(...targetKinds)
      .optional()
      .describe("Kind of the workload. Default: every kind."),
    name: glob(253).optional().describe("Glob for the name of the workload. Default: every name."),
    selector: labelSelector.optional().describe("Labels of the workload. Default: all workloads."),
  })
  .atLeastOneOf("kind", "name", "selector");

const namespaceRule = s
  .object({
    name: dnsLabel.optional().describe("Name of a namespace."),
    selector: labelSelector.optional().describe("Labels of namespaces."),
  })
  .exactlyOneOf("name", "selector");

/** A prefix of JSON pointers (RFC 6901) into a workload object. */
const pointerPrefix = s.string().max(512).rule({
  rule: "self.startsWith('/') && !self.endsWith('/')",
  message: "must be a JSON pointer such as /spec/template/spec/nodeSelector: start with / and do not end with it",
  reason: "FieldValueInvalid",
});

const unset = "A policy without this field does not restrict it.";

const quota = s.object({
  sandboxes: s
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe("Maximum number of sandboxes in the namespace. Default: 50."),
  perUser: s
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe("Maximum number of sandboxes of one user in the namespace. Default: 5."),
  cpu: quantity.optional().describe("Maximum sum of the CPU limits of all forks in the namespace. Default: 20."),
  memory: quantity
    .optional()
    .describe("Maximum sum of the memory limits of all forks in the namespace. Default: 20Gi."),
  pods: s
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe("Maximum number of pods of all forks in the namespace. Default: 100."),
});

const spec = s.object({
  enabled: s
    .bool()
    .optional()
    .describe("Whether the namespace can be used as a baseline. One policy with false forbids it. Default: true."),
  allowedTargets: s
    .list(targetRule)
    .atomic()
    .max(64)
    .optional()
    .describe(`Workloads that can be forked; an empty list allows none. ${unset} Default: all workloads.`),
  deniedTargets: s
    .list(targetRule)
    .atomic()
    .max(64)
    .optional()
    .describe("Workloads that cannot be forked, even if allowedTargets lists them. Default: none."),
  allowedFromNamespaces: s
    .list(namespaceRule)
    .atomic()
    .max(64)
    .optional()
    .describe(
      "Other namespaces whose sandboxes can fork workloads of this namespace, and whose endpoints can route to its Services. Default: none.",
    ),
  allowedImages: s
    .list(glob(512))
    .atomic()
    .max(64)
    .optional()
    .describe(
      `Globs for images that forks and provision hooks can run; an empty list allows none. ${unset} Default: all.`,
    ),
  allowPatchPaths: s
    .list(pointerPrefix)
    .atomic()
    .max(64)
    .optional()
    .describe(
      "Fields that patches can change although they are forbidden by default, as JSON pointers. Default: none.",
    ),
  denyPatchPaths: s
    .list(pointerPrefix)
    .atomic()
    .max(64)
    .optional()
    .describe(
      "Further fields that patches cannot change, as JSON pointers. They take precedence over allowPatchPaths. Default: none.",
    ),
  allowLocal: s
    .bool()
    .optional()
    .describe("Whether LocalWorkloads are allowed. One policy with false forbids them. Default: true."),
  allowPublicEndpoints: s
    .bool()
    .optional()
    .describe("Whether endpoints can have the authentication None. One policy with false forbids it. Default: false."),
  outboundAllow: s
    .list(glob(320))
    .atomic()
    .max(64)
    .optional()
    .describe(
      "Services that developers' machines can call through tunnels, as globs of <service>[.<namespace>][:port]. Default: Services of the own namespace.",
    ),
  provisionServiceAccounts: s
    .list(objectName)
    .set()
    .max(64)
    .optional()
    .describe("ServiceAccounts that provision hooks can use. Default: none."),
  quota: quota.optional().describe("Limits of the namespace. If several policies set a limit, the lowest applies."),
  maxTTL: duration
    .rule(atLeastRule({ seconds: 300, zero: false }))
    .optional()
    .describe(
      "Longest lifetime of sandboxes. If several policies set it, the shortest applies. Default: limits.maxTTL of the operator, 7d.",
    ),
  interception: s
    .enum("Auto", ...interceptionModes)
    .optional()
    .describe(
      "How requests of Services reach the proxy: Takeover changes the selector of the Service, Sidecar adds a container to pods, Mesh renders routes of a service mesh, None routes preview addresses only. The first policy by name that sets it decides. Default: Auto.",
    ),
});

const text = s.string().max(64).optional();

const effective = s.object({
  policies: s.list(s.string().max(63)).set().max(1000).describe("Policies of the namespace."),
  enabled: s.bool().describe("Whether workloads of the namespace can be forked."),
  allowLocal: s.bool().describe("Whether LocalWorkloads are allowed."),
  allowPublicEndpoints: s.bool().describe("Whether endpoints can have the authentication None."),
  sandboxes: s.int().min(0).describe("Maximum number of sandboxes of the namespace."),
  perUser: s.int().min(0).describe("Maximum number of sandboxes of one user."),
  cpu: text.describe("Maximum sum of the CPU limits of all forks."),
  memory: text.describe("Maximum sum of the memory limits of all forks."),
  pods: s.int().min(0).describe("Maximum number of pods of all forks."),
  maxTTL: text.describe("Longest lifetime of sandboxes."),
  interception: s.enum("Auto", ...interceptionModes).describe("How requests of Services reach the proxy."),
});

const initialStatus = { conditions: initialConditions(sandboxPolicyReasons), observedGeneration: 0 };

export const SandboxPolicy = defineResource({
  group,
  version,
  kind: "SandboxPolicy",
  plural: "sandboxpolicies",
  shortNames: ["sbp"],
  categories: [category],
  description:
    "SandboxPolicy limits what sandboxes may do with the workloads of its namespace. Several policies are combined: a denial by any policy wins; everything else must be allowed by at least one.",
  name: metadataName,
  rules: [nameRule],
  spec,
  status: s
    .object({
      observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
      effective: effective
        .optional()
        .describe("Combination of all policies of the namespace. Every policy of the namespace shows the same values."),
    })
    .default(initialStatus),
  conditions: sandboxPolicyReasons,
  columns: [
    { name: "Enabled", jsonPath: ".spec.enabled" },
    { name: "Sandboxes", jsonPath: ".spec.quota.sandboxes", description: "Maximum number of sandboxes" },
    { name: "Max TTL", jsonPath: ".spec.maxTTL", type: "string", description: "Longest lifetime of sandboxes" },
    { name: "Interception", jsonPath: ".spec.interception" },
    ageColumn,
    { name: "Accepted", condition: "Accepted", priority: 1 },
  ],
});

/** A SandboxPolicy with the defaults of the schema, as the API server returns it. */
export type SandboxPolicy = ObjectOf<typeof SandboxPolicy>;
/** A SandboxPolicy as a client may write it, without defaults. */
export type SandboxPolicyInput = InputOf<typeof SandboxPolicy>;
/** A SandboxPolicy read from the cache. */
export type CachedSandboxPolicy = DeepReadonly<SandboxPolicy>;

export type SandboxPolicySpec = SandboxPolicy["spec"];
export type TargetRule = NonNullable<SandboxPolicySpec["allowedTargets"]>[number];
export type NamespaceRule = NonNullable<SandboxPolicySpec["allowedFromNamespaces"]>[number];
export type QuotaSpec = NonNullable<SandboxPolicySpec["quota"]>;
export type InterceptionPolicy = NonNullable<SandboxPolicySpec["interception"]>;

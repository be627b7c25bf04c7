// What a tenant is asked for with: the fields around its components.

import { s } from "@homeostat/schema";
import { placementFields, quantity, tenantResources, texts } from "./spec-common.ts";
import { monitoring, networkPolicy } from "./spec-network.ts";
import { redis } from "./spec-redis.ts";
import { server } from "./spec-server.ts";

/** How the pods of the server are replaced. */
export const upgradeTypes = ["RollingUpdate", "Recreate"] as const;

/** What becomes of the namespace of a deleted tenant. */
export const deletionPolicies = ["Delete", "Retain"] as const;

/** What Kubernetes can hold the pods of a namespace to, the strictest first. */
export const podSecurityLevels = ["restricted", "baseline", "privileged"] as const;

/** Who can be given access. */
export const subjectKinds = ["User", "Group", "ServiceAccount"] as const;

const upgradeStrategy = s.object({
  type: s
    .enum(...upgradeTypes)
    .optional()
    .describe("RollingUpdate when left out."),
  maxUnavailable: s.intOrString().optional().describe("A number or a percentage. 25% when left out."),
  maxSurge: s.intOrString().optional().describe("A number or a percentage. 25% when left out."),
});

const level = s.enum(...podSecurityLevels).optional();

const podSecurity = s.object({
  enforce: level.describe("What pods are refused for. restricted when left out."),
  audit: level.describe("What is noted in the audit log. restricted when left out."),
  warn: level.describe("What clients are warned of. restricted when left out."),
  version: s.string().max(32).optional().describe("Of the rules: latest, or v1.30. latest when left out."),
});

const subject = s.object({
  kind: s.enum(...subjectKinds),
  name: s.string().max(253),
  namespace: s.string().max(63).optional().describe("Of a ServiceAccount."),
});

const subjects = s.list(subject).atomic().max(100).optional();

const access = s.object({
  admins: subjects.describe("May change workloads and run commands in pods."),
  editors: subjects.describe("May change workloads."),
  viewers: subjects.describe("May look."),
});

const containerAmounts = s.object({ cpu: quantity.optional(), memory: quantity.optional() });

const limitRange = s.object({
  default: containerAmounts.optional().describe("The limits of a container without any. 500m and 512Mi when left out."),
  defaultRequest: containerAmounts
    .optional()
    .describe("The requests of a container without any. 100m and 128Mi when left out."),
});

/** The spec of a tenant. */
export const tenantSpec = s
  .object({
    displayName: s.string().max(63).optional(),
    description: s.string().max(1024).optional(),
    version: s
      .string()
      .max(128)
      .optional()
      .describe("A semantic version: the tag of the server's image where that has none, or latest."),
    upgradeStrategy: upgradeStrategy.optional().describe("How the server's pods are replaced."),
    resources: tenantResources.optional().describe("What the tenant may use in total. Makes a ResourceQuota."),
    quota: s
      .object({ counts: s.map(quantity).max(50).optional().describe("Numbers of objects, such as pods: 50.") })
      .optional()
      .describe("Only with resources."),
    limitRange: limitRange.optional().describe("Only with resources."),
    server: server.default({}).describe("The log server."),
    redis: redis.default({}).describe("Where the server keeps its data."),
    networkPolicy: networkPolicy.default({}).describe("Who may talk with the tenant."),
    monitoring: monitoring.optional(),
    paused: s.bool().optional().describe("Nothing is written any more, except to delete the tenant."),
    hibernation: s.object({ enabled: s.bool().optional().describe("No pods run; everything else stays.") }).optional(),
    deletionProtection: s.bool().optional().describe("The tenant cannot be deleted."),
    deletionPolicy: s
      .enum(...deletionPolicies)
      .optional()
      .describe("Whether the namespace goes with the tenant. Delete when left out."),
    podSecurity: podSecurity.optional().describe("What pods in the namespace are held to."),
    access: access.optional().describe("Who may use the namespace."),
    namespaceMetadata: s
      .object({ labels: texts(20).optional(), annotations: texts(20).optional() })
      .optional()
      .describe("More labels and annotations of the namespace."),
    ...placementFields,
  })
  .default({});

import { s } from "homeostat";
import { placementFields, quantity, tenantResources, texts } from "./spec-common.ts";
import { monitoring, networkPolicy } from "./spec-network.ts";
import { redis } from "./spec-redis.ts";
import { server } from "./spec-server.ts";

const upgradeStrategy = s.object({
  type: s.enum("RollingUpdate", "Recreate").optional().describe("Default: RollingUpdate."),
  maxUnavailable: s.intOrString().optional().describe("A number or a percentage. Default: 25%."),
  maxSurge: s.intOrString().optional().describe("A number or a percentage. Default: 25%."),
});

const level = s.enum("restricted", "baseline", "privileged").optional();

const podSecurity = s.object({
  enforce: level.describe(
    "Level whose violations are rejected, at least the operator's --minimum-pod-security. Default: restricted.",
  ),
  audit: level.describe("Level whose violations are audited. Default: restricted."),
  warn: level.describe("Level whose violations cause warnings. Default: restricted."),
  version: s.string().max(32).optional().describe("Version of the levels, such as v1.30. Default: latest."),
});

const subject = s.object({
  kind: s.enum("User", "Group", "ServiceAccount"),
  name: s.string().max(253).describe("Names that begin with system: are refused."),
  namespace: s.string().max(63).optional().describe("Namespace of a ServiceAccount."),
});

const subjects = s.list(subject).atomic().max(100).optional();

const access = s.object({
  admins: subjects.describe("May change workloads and run commands in pods."),
  editors: subjects.describe("May change workloads."),
  viewers: subjects.describe("May read."),
});

const containerAmounts = s.object({ cpu: quantity.optional(), memory: quantity.optional() });

const limitRange = s.object({
  default: containerAmounts.optional().describe("Limits of containers without any. Default: 500m and 512Mi."),
  defaultRequest: containerAmounts.optional().describe("Requests of containers without any. Default: 100m and 128Mi."),
});

export const tenantSpec = s
  .object({
    displayName: s.string().max(63).optional(),
    description: s.string().max(1024).optional(),
    version: s
      .string()
      .max(128)
      .optional()
      .describe("Semantic version: replaces a missing tag, or the tag latest, of the server's image."),
    upgradeStrategy: upgradeStrategy.optional().describe("How updates replace the server's pods."),
    resources: tenantResources.optional().describe("Total resources of the tenant. Creates a ResourceQuota."),
    quota: s
      .object({ counts: s.map(quantity).max(50).optional().describe("Object counts, such as pods: 50.") })
      .optional()
      .describe("Requires resources."),
    limitRange: limitRange.optional().describe("Requires resources."),
    server: server.default({}).describe("The log server."),
    redis: redis.default({}).describe("The store of the server."),
    networkPolicy: networkPolicy.default({}).describe("Network isolation of the tenant."),
    monitoring: monitoring.optional(),
    paused: s.bool().optional().describe("Suspends all writes, except for the deletion of the tenant."),
    hibernation: s
      .object({ enabled: s.bool().optional().describe("Stops all pods and keeps everything else.") })
      .optional(),
    deletionProtection: s.bool().optional().describe("Denies the deletion of the tenant."),
    deletionPolicy: s
      .enum("Delete", "Retain")
      .optional()
      .describe("Whether the namespace is deleted with the tenant. Default: Delete."),
    podSecurity: podSecurity.optional().describe("Pod Security levels of the namespace."),
    access: access.optional().describe("Subjects with access to the namespace."),
    namespaceMetadata: s
      .object({ labels: texts(20).optional(), annotations: texts(20).optional() })
      .optional()
      .describe("Additional labels and annotations of the namespace, except for keys that grant it privileges."),
    ...placementFields,
  })
  .default({});

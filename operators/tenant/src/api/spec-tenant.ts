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
  name: s.string().max(253).describe("Name of the subject. Names that start with system: are rejected."),
  namespace: s.string().max(63).optional().describe("Namespace of a ServiceAccount."),
});

const subjects = s.list(subject).atomic().max(100).optional();

const access = s.object({
  admins: subjects.describe("Subjects that may change workloads and run commands in pods."),
  editors: subjects.describe("Subjects that may change workloads."),
  viewers: subjects.describe("Subjects that may only read."),
});

const containerAmounts = s.object({ cpu: quantity.optional(), memory: quantity.optional() });

const limitRange = s.object({
  default: containerAmounts.optional().describe("Limits of containers that set none. Default: cpu 500m, memory 512Mi."),
  defaultRequest: containerAmounts
    .optional()
    .describe("Requests of containers that set none. Default: cpu 100m, memory 128Mi."),
});

export const tenantSpec = s
  .object({
    displayName: s.string().max(63).optional(),
    description: s.string().max(1024).optional(),
    version: s
      .string()
      .max(128)
      .optional()
      .describe(
        "Semantic version of the server. It is the tag of the server's image, if that has no tag or the tag latest.",
      ),
    upgradeStrategy: upgradeStrategy.optional().describe("Strategy for updates of the server's pods."),
    resources: tenantResources.optional().describe("Total resources of the tenant. Creates a ResourceQuota."),
    quota: s
      .object({ counts: s.map(quantity).max(50).optional().describe("Object counts, such as pods: 50.") })
      .optional()
      .describe("Additional rows of the ResourceQuota. Requires resources."),
    limitRange: limitRange.optional().describe("Default resources of containers. Requires resources."),
    server: server.default({}).describe("The log server."),
    redis: redis.default({}).describe("The Redis that stores the server's data."),
    networkPolicy: networkPolicy.default({}).describe("Network isolation of the tenant."),
    monitoring: monitoring.optional(),
    paused: s
      .bool()
      .optional()
      .describe(
        "If true, the operator does not change the tenant's objects. Deletion of the tenant is still processed.",
      ),
    hibernation: s
      .object({ enabled: s.bool().optional().describe("If true, all pods are stopped. Everything else is kept.") })
      .optional(),
    deletionProtection: s.bool().optional().describe("If true, the webhook denies deletion of the tenant."),
    deletionPolicy: s
      .enum("Delete", "Retain")
      .optional()
      .describe("Retain keeps the namespace when the tenant is deleted. Default: Delete."),
    podSecurity: podSecurity.optional().describe("Pod Security levels of the namespace."),
    access: access.optional().describe("Subjects with access to the namespace."),
    namespaceMetadata: s
      .object({ labels: texts(20).optional(), annotations: texts(20).optional() })
      .optional()
      .describe("Additional labels and annotations of the namespace. Keys that grant privileges are rejected."),
    ...placementFields,
  })
  .default({});

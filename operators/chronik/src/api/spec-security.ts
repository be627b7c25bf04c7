import { s } from "homeostat";
import { objectName, secretKey } from "./spec-common.ts";

const seccompProfile = s.object({
  type: s.enum("RuntimeDefault", "Localhost"),
  localhostProfile: s.string().max(253).optional(),
});

const id = s.int64().min(0).max(2_147_483_647).optional();

export const rootProblem = "containers must not run as root";

const podSecurityContext = s
  .object({
    runAsUser: id,
    runAsGroup: id,
    runAsNonRoot: s.bool().optional(),
    fsGroup: id,
    fsGroupChangePolicy: s.enum("OnRootMismatch", "Always").optional(),
    supplementalGroups: s.list(s.int64().min(0).max(2_147_483_647)).atomic().max(16).optional(),
    seccompProfile: seccompProfile.optional(),
  })
  .rule({
    rule: "!has(self.runAsUser) || self.runAsUser != 0",
    message: rootProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".runAsUser",
  })
  .rule({
    rule: "!has(self.runAsNonRoot) || self.runAsNonRoot",
    message: rootProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".runAsNonRoot",
  });

const capability = s.string().max(64);

export const privilegedProblem = "containers must not be privileged";
export const escalationProblem = "containers must not gain privileges";
export const addedCapabilitiesProblem = "containers must not add capabilities";
export const droppedCapabilitiesProblem = "must contain ALL";

const containerSecurityContext = s
  .object({
    privileged: s.bool().optional(),
    allowPrivilegeEscalation: s.bool().optional(),
    readOnlyRootFilesystem: s.bool().optional(),
    runAsNonRoot: s.bool().optional(),
    runAsUser: id,
    runAsGroup: id,
    capabilities: s
      .object({
        add: s.list(capability).atomic().max(64).optional(),
        drop: s.list(capability).atomic().max(64).optional(),
      })
      .rule({
        rule: "!has(self.add) || self.add.size() == 0",
        message: addedCapabilitiesProblem,
        reason: "FieldValueForbidden",
        fieldPath: ".add",
      })
      .rule({
        rule: "!has(self.drop) || 'ALL' in self.drop",
        message: droppedCapabilitiesProblem,
        reason: "FieldValueForbidden",
        fieldPath: ".drop",
      })
      .optional(),
    seccompProfile: seccompProfile.optional(),
  })
  .rule({
    rule: "!has(self.privileged) || !self.privileged",
    message: privilegedProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".privileged",
  })
  .rule({
    rule: "!has(self.allowPrivilegeEscalation) || !self.allowPrivilegeEscalation",
    message: escalationProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".allowPrivilegeEscalation",
  })
  .rule({
    rule: "!has(self.runAsUser) || self.runAsUser != 0",
    message: rootProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".runAsUser",
  })
  .rule({
    rule: "!has(self.runAsNonRoot) || self.runAsNonRoot",
    message: rootProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".runAsNonRoot",
  });

export const security = s
  .object({
    tlsEnabled: s.bool().default(false).describe("If true, components use TLS. Requires tlsSecret."),
    tlsSecret: objectName
      .optional()
      .describe("Secret of type kubernetes.io/tls with tls.crt, tls.key and, for mutual TLS, ca.crt."),
    mtlsEnabled: s.bool().default(false).describe("If true, clients need a certificate. Requires tlsEnabled."),
    podSecurityContext: podSecurityContext
      .optional()
      .describe("Overrides the defaults of the operator field by field. Root is rejected."),
    containerSecurityContext: containerSecurityContext
      .optional()
      .describe("Overrides the defaults of the operator field by field. Privileges are rejected."),
    automountServiceAccountToken: s
      .bool()
      .default(false)
      .describe("If true, pods get the token of their ServiceAccount."),
    adminApiKeySecret: secretKey
      .optional()
      .describe("API key of the components. The operator uses it for its own requests to them."),
  })
  .rule({
    rule: "!self.tlsEnabled || has(self.tlsSecret)",
    message: "tlsSecret is required if tlsEnabled is true",
    reason: "FieldValueInvalid",
    fieldPath: ".tlsSecret",
  })
  .rule({
    rule: "!self.mtlsEnabled || self.tlsEnabled",
    message: "mtlsEnabled requires tlsEnabled",
    reason: "FieldValueInvalid",
    fieldPath: ".mtlsEnabled",
  });

// The fields in which the operator reports about a tenant.

import { s } from "@homeostat/schema";

/** Where a component stands. */
export const componentPhases = ["Pending", "Provisioning", "Running", "Degraded", "Failed", "Hibernated"] as const;

/** Where a tenant stands. */
export const phases = [...componentPhases, "Terminating"] as const;

/** How far the change of a password is. */
export const rotationSteps = ["overlap", "clients", "cleanup", "done"] as const;

/** What a message of the status can have at most. */
export const messageLengthMax = 1024;

const message = s.string().max(messageLengthMax).optional();

const component = s.object({
  phase: s.enum(...componentPhases).optional(),
  message: message.describe("One sentence."),
  reason: s.string().max(256).optional().describe("Why it is not running."),
  readyReplicas: s.int().min(0).optional(),
  totalReplicas: s.int().min(0).optional().describe("How many there should be."),
  lastTransitionTime: s.time().optional().describe("When the phase changed."),
});

/** The status of a tenant, without its conditions. */
export const tenantStatus = {
  phase: s.enum(...phases).optional(),
  message: message.describe("One sentence for people."),
  lastTransitionTime: s.time().optional().describe("When the phase changed."),
  observedGeneration: s.int64().optional().describe("The generation that the status is about."),
  namespace: s.string().max(63).optional().describe("Set while the tenant has one."),
  serverStatus: component.optional(),
  redisStatus: component.optional(),
  urls: s.object({ server: s.string().max(256).optional().describe("Within the cluster.") }).optional(),
  redisCredentials: s
    .object({
      step: s.enum(...rotationSteps).optional(),
      lastRotationTime: s.time().optional(),
      token: s.string().max(256).optional().describe("What asked for the last change."),
    })
    .optional()
    .describe("How far the change of the password is."),
};

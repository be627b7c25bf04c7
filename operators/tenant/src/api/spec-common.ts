// Schema fields that several parts of the spec share.

import { affinity, toleration } from "@homeostat/kubernetes/core/v1/schemas";
import { s } from "homeostat";

export const nameList = (countMax: number) => s.list(s.string().max(253)).set().max(countMax);

export const texts = (countMax: number) => s.map(s.string().max(1024)).max(countMax);

/** A quantity. Its syntax is checked by validation, with a better message than a schema pattern gives. */
export const quantity = s.intOrString().maxLength(64);

const amounts = s.object({
  limit: quantity.optional().describe("Maximum usage."),
  request: quantity.optional().describe("Guaranteed amount, at most the limit."),
});

export const componentResources = s.object({
  cpu: amounts.optional(),
  memory: amounts.optional(),
});

export const tenantResources = s.object({
  cpu: amounts.optional(),
  memory: amounts.optional(),
  storage: amounts.optional().describe("Total of all claims: the limit, or else the request."),
});

export const imageFields = {
  image: s.string().max(255).optional(),
  imagePullPolicy: s.enum("Always", "IfNotPresent", "Never").optional().describe("Default: IfNotPresent."),
  imagePullSecrets: nameList(10).optional().describe("Names of pull Secrets in the tenant's namespace."),
};

export const placementFields = {
  nodeSelector: texts(50).optional().describe("Labels that nodes must have."),
  tolerations: s.list(s.embedded(toleration)).atomic().max(50).optional(),
};

export const componentPlacementFields = {
  ...placementFields,
  affinity: s.embedded(affinity).optional(),
  terminationGracePeriodSeconds: s.int().min(0).max(600).optional(),
};

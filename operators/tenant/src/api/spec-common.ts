// Fields that several parts of a tenant share.

import { affinity, toleration } from "@homeostat/kubernetes/core/v1/schemas";
import { s } from "@homeostat/schema";

/** When an image is fetched anew. */
export const pullPolicies = ["Always", "IfNotPresent", "Never"] as const;

/** A list of names, each of which occurs once. */
export const nameList = (countMax: number) => s.list(s.string().max(253)).set().max(countMax);

/** A map from labels, or other short texts, to short texts. */
export const texts = (countMax: number) => s.map(s.string().max(1024)).max(countMax);

/** An amount such as `500m` or `2Gi`. Whether it is one is a rule of validation, which says so in words: a schema can only show its pattern. */
export const quantity = s.intOrString().maxLength(64);

const amounts = s.object({
  limit: quantity.optional().describe("How much may be used."),
  request: quantity.optional().describe("How much is set aside. Never more than the limit."),
});

/** What the containers of one component get. */
export const componentResources = s.object({
  cpu: amounts.optional(),
  memory: amounts.optional(),
});

/** What a whole tenant gets. */
export const tenantResources = s.object({
  cpu: amounts.optional(),
  memory: amounts.optional(),
  storage: amounts.optional().describe("Of all claims together: the limit, or the request where there is no limit."),
});

/** Which image a component runs, and how it is fetched. */
export const imageFields = {
  image: s.string().max(255).optional(),
  imagePullPolicy: s
    .enum(...pullPolicies)
    .optional()
    .describe("IfNotPresent when left out."),
  imagePullSecrets: nameList(10).optional().describe("Secrets of the tenant's namespace to fetch the image with."),
};

/** Which nodes pods may run on. */
export const placementFields = {
  nodeSelector: texts(50).optional().describe("Labels that a node must have."),
  tolerations: s.list(s.embedded(toleration)).atomic().max(50).optional(),
};

/** Which nodes the pods of one component run on, and how long they may take to end. */
export const componentPlacementFields = {
  ...placementFields,
  affinity: s.embedded(affinity).optional(),
  terminationGracePeriodSeconds: s.int().min(0).max(600).optional(),
};

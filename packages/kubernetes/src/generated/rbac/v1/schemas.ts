// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as rbacV1 from "../../rbac/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };
const strings: EmbeddedSchema = { type: "array", items: string, "x-kubernetes-list-type": "atomic" };

/** The schema of an `AggregationRule`. */
export const aggregationRule: EmbeddedType<rbacV1.AggregationRule> = {
  name: "io.k8s.api.rbac.v1.AggregationRule",
  schema: {
    type: "object",
    properties: {
      clusterRoleSelectors: { type: "array", items: metaV1Schemas.labelSelector.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `PolicyRule`. */
export const policyRule: EmbeddedType<rbacV1.PolicyRule> = {
  name: "io.k8s.api.rbac.v1.PolicyRule",
  schema: {
    type: "object",
    properties: {
      apiGroups: strings,
      nonResourceURLs: strings,
      resourceNames: strings,
      resources: strings,
      verbs: strings,
    },
    required: ["verbs"],
  },
};

/** The schema of a `RoleRef`. */
export const roleRef: EmbeddedType<rbacV1.RoleRef> = {
  name: "io.k8s.api.rbac.v1.RoleRef",
  schema: {
    type: "object",
    properties: {
      apiGroup: string,
      kind: string,
      name: string,
    },
    required: ["kind", "name"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `Subject`. */
export const subject: EmbeddedType<rbacV1.Subject> = {
  name: "io.k8s.api.rbac.v1.Subject",
  schema: {
    type: "object",
    properties: {
      apiGroup: string,
      kind: string,
      name: string,
      namespace: string,
    },
    required: ["kind", "name"],
    "x-kubernetes-map-type": "atomic",
  },
};

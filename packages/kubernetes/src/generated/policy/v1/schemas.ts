// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as policyV1 from "../../policy/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };

/** The schema of a `PodDisruptionBudgetSpec`. */
export const podDisruptionBudgetSpec: EmbeddedType<policyV1.PodDisruptionBudgetSpec> = {
  name: "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
  schema: {
    type: "object",
    properties: {
      maxUnavailable: metaV1Schemas.intOrString.schema,
      minAvailable: metaV1Schemas.intOrString.schema,
      selector: metaV1Schemas.labelSelector.schema,
      unhealthyPodEvictionPolicy: string,
    },
  },
};

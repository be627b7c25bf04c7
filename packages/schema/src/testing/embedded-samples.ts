// A sample resource that embeds core types of Kubernetes.

import {
  affinity,
  envVar,
  podSecurityContext,
  podTemplateSpec,
  resourceRequirements,
  securityContext,
  toleration,
  volume,
  volumeMount,
} from "@homeostat/kubernetes/core/v1/schemas";
import { labelSelector } from "@homeostat/kubernetes/meta/v1/schemas";
import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { Resource } from "../resource/resource.ts";

/** Core types: as fields, as list items, and extended by a field. */
export const embedded: Resource = defineResource({
  group: "gallery.example.com",
  version: "v1",
  kind: "Workload",
  spec: {
    template: s.embedded(podTemplateSpec).optional(),
    env: s.list(s.embedded(envVar)).mapBy("name").max(20).optional(),
    resources: s.embedded(resourceRequirements).optional(),
    affinity: s.embedded(affinity).optional(),
    tolerations: s.list(s.embedded(toleration)).atomic().optional(),
    volumes: s.list(s.embedded(volume)).mapBy("name").optional(),
    mounts: s
      .list(s.embedded(volumeMount).extend({ target: s.enum("master", "worker", "both").default("both") }))
      .mapBy("mountPath")
      .optional(),
    podSecurity: s.embedded(podSecurityContext).optional(),
    security: s.embedded(securityContext).optional(),
    selector: s.embedded(labelSelector).immutable().optional(),
    byHand: s
      .embedded<{ a: string; b?: number }>({
        name: "ByHand",
        schema: {
          type: "object",
          properties: { a: { type: "string", maxLength: 3 }, b: { type: "integer" } },
          required: ["a"],
          oneOf: [{ required: ["b"] }, { properties: { a: { enum: ["x", "y"] } } }],
          not: { properties: { a: { pattern: "z" } }, required: ["a"] },
        },
      })
      .optional(),
  },
});

// A sample resource with CEL rules.

import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { Resource } from "../resource/resource.ts";

/** Rules that use every property of a rule: message, message expression, reason, field path, optional `oldSelf`. */
export const rules: Resource = defineResource({
  group: "gallery.example.com",
  version: "v1",
  kind: "Rule",
  name: s.string().max(40).pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$"),
  spec: s
    .object({
      min: s.int(),
      max: s.int(),
      steps: s.int().default(1),
      name: s.string().max(20).optional(),
      priority: s
        .int()
        .rule({
          rule: "oldSelf.hasValue() ? self >= oldSelf.value() : self == 0",
          optionalOldSelf: true,
          message: "starts at 0 and only rises",
        })
        .optional(),
      hosts: s.list(s.string().max(30)).set().max(5).optional(),
      replicas: s.int().rule({ rule: "self >= 0" }).optional(),
    })
    .rule({
      rule: "self.min <= self.max",
      message: "min must not be above max",
      fieldPath: ".min",
      reason: "FieldValueInvalid",
    })
    .rule({
      rule: "(self.max - self.min) % self.steps == 0",
      message: "steps must divide the range",
      fieldPath: ".steps",
    })
    .rule({
      rule: "!has(self.name) || !has(self.hosts) || self.hosts.exists(host, host.startsWith(self.name))",
      message: "a host must start with the name",
      messageExpression: "'a host must start with ' + self.name",
      reason: "FieldValueRequired",
      fieldPath: ".hosts",
    })
    .rule({
      rule: "!has(self.hosts) || self.hosts.all(host, self.hosts.exists_one(other, other == host))",
      message: "hosts must differ",
      reason: "FieldValueDuplicate",
    }),
  rules: [
    { rule: "!self.metadata.name.endsWith('-x')", message: "names must not end with -x" },
    { rule: "self.kind == 'Rule' && self.apiVersion.startsWith('gallery')" },
  ],
});

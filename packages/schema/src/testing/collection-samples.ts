// Sample resources with lists, maps and objects.

import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { Resource } from "../resource/resource.ts";

const group = "gallery.example.com";

/** Lists of every list type, with scalars, objects and lists as items. */
export const lists: Resource = defineResource({
  group,
  version: "v1",
  kind: "Lists",
  plural: "lists",
  singular: "listset",
  spec: {
    tags: s.list(s.string().max(10)).set().max(4).optional(),
    numbers: s.list(s.int()).set().optional(),
    steps: s.list(s.string()).atomic().min(1).max(3).optional(),
    env: s
      .list(s.object({ name: s.string().min(1), value: s.string().default("") }))
      .mapBy("name")
      .optional(),
    ports: s
      .list(
        s.object({
          port: s.int().min(1).max(65535),
          protocol: s.enum("TCP", "UDP").default("TCP"),
          name: s.string().optional(),
        }),
      )
      .mapBy("port", "protocol")
      .max(5)
      .optional(),
    pairs: s
      .list(s.object({ a: s.string().optional(), b: s.int().optional() }).atomic())
      .set()
      .optional(),
    grid: s.list(s.list(s.int()).atomic().max(2)).atomic().optional(),
    rows: s.list(s.list(s.string()).atomic()).set().optional(),
    groups: s
      .list(s.object({ id: s.int(), members: s.list(s.string()).set().default([]) }))
      .mapBy("id")
      .optional(),
  },
});

/** Maps with scalars, objects and lists as values. */
export const maps: Resource = defineResource({
  group,
  version: "v1",
  kind: "Settings",
  plural: "settings",
  spec: {
    labels: s.map(s.string().max(10)).max(3).optional(),
    limits: s.map(s.quantity()).min(1).optional(),
    whole: s.map(s.bool()).atomic().optional(),
    pools: s
      .map(s.object({ size: s.int().min(0).default(1), zone: s.string().optional() }))
      .max(4)
      .optional(),
    routes: s.map(s.list(s.string()).set()).optional(),
    nested: s.map(s.map(s.int())).optional(),
    config: s
      .map(s.string().max(20))
      .max(5)
      .rule({ rule: "self.all(key, !key.startsWith('reserved'))", message: "must not use reserved keys" })
      .optional(),
  },
});

/** Objects that restrict which or how many of their fields are set. */
export const unions: Resource = defineResource({
  group,
  version: "v1",
  kind: "Source",
  spec: {
    from: s
      .object({ value: s.string().optional(), secret: s.string().optional(), "config-map": s.string().optional() })
      .exactlyOneOf("value", "secret", "config-map"),
    auth: s
      .object({ token: s.string().optional(), password: s.string().optional(), user: s.string().optional() })
      .atMostOneOf("token", "password")
      .optional(),
    target: s.object({ cpu: s.int().optional(), memory: s.int().optional() }).atLeastOneOf("cpu", "memory").optional(),
    sized: s.object({ a: s.int().optional(), b: s.int().optional(), c: s.int().optional() }).min(1).max(2).optional(),
    whole: s.object({ x: s.int(), y: s.int().optional() }).atomic().optional(),
  },
});

/** Fields whose content the schema does not describe, or describes only in part. */
export const opaque: Resource = defineResource({
  group,
  version: "v1",
  kind: "Opaque",
  spec: {
    anything: s.json().optional(),
    object: s.opaque().optional(),
    partly: s
      .object({ known: s.int().default(1) })
      .preserveUnknown()
      .optional(),
    template: s.embeddedResource().optional(),
    patches: s
      .list(s.object({ type: s.enum("Merge", "JSON").default("Merge"), value: s.json() }))
      .atomic()
      .max(3)
      .optional(),
  },
});

/** Field names that are not identifiers, are CEL keywords, or collide with properties of `Object.prototype`. */
export const names: Resource = defineResource({
  group,
  version: "v1",
  kind: "OddName",
  spec: s
    .object({
      "dashed-name": s.int().optional(),
      "dotted.name": s.int().optional(),
      "slashed/name": s.int().optional(),
      double__underscore: s.int().optional(),
      namespace: s.string().optional(),
      in: s.string().setOnce(),
      constructor: s.string().optional(),
      toString: s.string().optional(),
      "3rd": s.bool().optional(),
      "with space": s.bool().optional(),
      $ref: s.string().optional(),
      "x-kind": s.string().immutable().optional(),
    })
    .rule({
      rule: "!has(self.dashed__dash__name) || !has(self.dotted__dot__name) || self.dashed__dash__name <= self.dotted__dot__name",
      message: "dashed-name must not be above dotted.name",
      fieldPath: "['dashed-name']",
    }),
});

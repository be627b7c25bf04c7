// Sample resources with defaults and with immutable fields.

import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { Resource } from "../resource/resource.ts";

const group = "gallery.example.com";

/** Defaults at every level; some are nested in the default of an object. */
export const defaults: Resource = defineResource({
  group,
  version: "v1",
  kind: "Preset",
  spec: s
    .object({
      plan: s.enum("free", "team").default("free"),
      replicas: s.int().min(0).max(9).default(1),
      paused: s.bool().default(false),
      share: s.number().default(0.5),
      redis: s
        .object({
          image: s.string().default("redis:7-alpine"),
          memory: s.quantity().default("64Mi"),
          persistence: s
            .object({ enabled: s.bool().default(true), type: s.enum("aof", "rdb").default("aof") })
            .default({}),
          replicas: s.int().min(1).max(5).default(1),
        })
        .rule({ rule: "self.replicas <= 1 || self.persistence.enabled", message: "replication needs persistence" })
        .default({}),
      zones: s.list(s.string()).set().default(["a", "b"]),
      labels: s.map(s.string()).default({ team: "web" }),
      ports: s
        .list(s.object({ name: s.string(), port: s.int().default(80) }))
        .mapBy("name")
        .default([{ name: "http" }]),
      note: s.string().optional(),
    })
    .default({}),
  rules: [
    {
      rule: "self.spec.plan != 'free' || self.spec.replicas <= 1",
      message: "free plan runs one replica",
      fieldPath: ".spec.replicas",
      reason: "FieldValueForbidden",
    },
  ],
});

/** Immutable fields: at the top level, inside optional objects, and in lists and maps. */
export const immutables: Resource = defineResource({
  group,
  version: "v1",
  kind: "Fixture",
  spec: {
    name: s.string().max(20).immutable(),
    mode: s.enum("a", "b").default("a").immutable("mode is chosen at creation"),
    class: s.string().max(20).immutable().optional(),
    key: s.string().max(20).setOnce("a key is for ever").optional(),
    maybe: s.int().nullable().immutable().optional(),
    storage: s
      .object({
        backend: s.enum("local", "s3").default("local").immutable(),
        size: s.int().rule({ rule: "self >= oldSelf", message: "may only grow" }).default(1),
      })
      .optional(),
    deep: s
      .object({ inner: s.object({ fixed: s.string().immutable().optional(), free: s.string().optional() }).optional() })
      .optional(),
    kept: s.object({ token: s.string().setOnce().optional() }).optional(),
    volumes: s
      .list(s.object({ name: s.string().max(20), type: s.string().max(20).immutable(), note: s.string().optional() }))
      .mapBy("name")
      .max(5)
      .optional(),
    pools: s
      .map(s.object({ zone: s.string().max(20).immutable().optional(), size: s.int().optional() }))
      .max(4)
      .optional(),
    access: s.list(s.string().max(20)).atomic().max(5).immutable().optional(),
    frozen: s
      .object({ a: s.int().optional(), b: s.list(s.int()).atomic().max(3).optional() })
      .immutable()
      .optional(),
  },
});

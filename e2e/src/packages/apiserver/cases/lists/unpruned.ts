// Applies of custom resources with fields that the merge accepts and that pruning drops. Such a field is stored but never
// returned; the next write, even one without effect, removes it from the store.

import { apply, type Case, del, get, patch, post, type Step, until, watch } from "../case.ts";
import { crds, thingDefinition } from "../../../../harness/thing-crd.ts";

const open = { "x-kubernetes-preserve-unknown-fields": true } as const;
const struct = { type: "object", properties: { a: { type: "string" } } } as const;
const keyed = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", required: ["k"], properties: { k: { type: "string" }, a: { type: "string" } } },
} as const;

/** Name, schema of a field, and the applied value. */
const shapes: readonly (readonly [name: string, schema: object, value: unknown])[] = [
  ["a struct", struct, { a: "x" }],
  ["an object without properties", { type: "object" }, { unknown: 1 }],
  ["a list of objects without properties", { type: "array", items: { type: "object" } }, [{ unknown: 1 }]],
  ["a map of anything", { type: "object", additionalProperties: true }, { x: { unknown: 1 }, y: 1 }],
  ["an open struct", { ...struct, ...open }, { a: "x", unknown: 1 }],
  [
    "an object in one that preserves unknown fields",
    { type: "object", ...open, properties: { in: struct } },
    { in: { a: "x", unknown: 1 }, unknown: 1 },
  ],
  [
    "a list of objects in one that preserves unknown fields",
    { type: "object", ...open, properties: { in: { type: "array", items: struct } } },
    { in: [{ a: "x", unknown: 1 }] },
  ],
  [
    "a list with keys in an object that preserves unknown fields",
    { type: "object", ...open, properties: { in: keyed } },
    { in: [{ k: "k", a: "x", unknown: 1 }] },
  ],
  [
    "a map of objects in one that preserves unknown fields",
    { type: "object", ...open, properties: { in: { type: "object", additionalProperties: struct } } },
    { in: { x: { a: "x", unknown: 1 } } },
  ],
  [
    "a map that preserves unknown fields",
    { type: "object", ...open, additionalProperties: struct },
    { x: { a: "x", unknown: 1 } },
  ],
  ["a list that preserves unknown fields", { type: "array", ...open, items: struct }, [{ a: "x", unknown: 1 }]],
  [
    "a list of objects that preserve unknown fields",
    { type: "array", items: { type: "object", ...open, properties: { in: struct } } },
    [{ in: { a: "x", unknown: 1 }, unknown: 1 }],
  ],
  [
    "an object in a field without a type",
    { ...open, properties: { in: struct } },
    { in: { a: "x", unknown: 1 }, unknown: { b: 1 } },
  ],
  [
    "an object in an embedded resource",
    { type: "object", ...open, "x-kubernetes-embedded-resource": true, properties: { in: struct } },
    { apiVersion: "v1", kind: "Any", metadata: { name: "x" }, in: { a: "x", unknown: 1 } },
  ],
  [
    "the metadata of an embedded resource",
    { type: "object", ...open, "x-kubernetes-embedded-resource": true },
    { apiVersion: "v1", kind: "Any", metadata: { name: "x", creationTimestamp: null } },
  ],
];

const things = "/apis/{ns}.example/v1/namespaces/{ns}/things";
const newer = "/apis/{ns}.example/v2/namespaces/{ns}/things";
const a = `${things}/a`;

function versions(field: object): object[] {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { field } }, status: struct },
    },
  };
  return [
    { name: "v1", served: true, storage: true, schema, subresources: { status: {} } },
    { name: "v2", served: true, storage: false, schema, subresources: { status: {} } },
  ];
}

function prepare(field: object): Step[] {
  return [post(crds, thingDefinition(versions(field))), until(things), until(newer)];
}

function thing(value: unknown, version = "v1"): object {
  return { apiVersion: `{ns}.example/${version}`, kind: "Thing", metadata: { name: "a" }, spec: { field: value } };
}

function stepsOf(schema: object, value: unknown): Step[] {
  const config = thing(value);
  return [
    ...prepare(schema),
    apply(`${a}?dryRun=All`, "one", config),
    apply(a, "one", config),
    get(a),
    get(`${newer}/a`),
    // The first of these writes to the store.
    patch("merge", a, {}),
    patch("merge", a, {}),
    apply(a, "one", config),
    apply(a, "one", config),
    patch("json", `${a}/status`, []),
    patch("json", a, []),
    apply(a, "two", config),
    apply(a, "two", config, { force: true }),
    patch("merge", `${newer}/a`, {}),
    // A conversion prunes.
    apply(`${newer}/a`, "three", thing(value, "v2"), { force: true }),
    patch("merge", a, {}),
    get(things),
  ];
}

export const unprunedCases: readonly Case[] = [
  ...shapes.map(([name, schema, value]) => ({ name: `apply to ${name}`, steps: stepsOf(schema, value) })),
  {
    name: "a watch of applied fields that are not returned",
    steps: [
      ...prepare({ type: "object" }),
      watch(`${things}?watch=true`, 4, {
        meanwhile: [
          apply(a, "one", thing({ unknown: 1 })),
          patch("merge", a, {}),
          patch("merge", a, {}),
          apply(a, "one", thing({ unknown: 2 })),
          del(a),
        ],
      }),
    ],
  },
  {
    name: "applied fields that are returned after a change of the schema",
    steps: [
      ...prepare({ type: "object" }),
      apply(a, "one", thing({ a: "x" })),
      get(a),
      patch("merge", `${crds}/things.{ns}.example`, { spec: { versions: versions(struct) } }),
      { ...until(a), shows: '"a":"x"' },
      get(a),
      patch("merge", a, {}),
    ],
  },
];

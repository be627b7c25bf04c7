// Applies of custom resources with fields that their merge type takes and that pruning drops. Such a field is stored and never
// shown; the next write, even one without effect, takes it out of the store.

import { apply, type Case, del, get, patch, post, type Step, until, watch } from "../case.ts";
import { crds, thingDefinition } from "../../../../harness/things.ts";

const open = { "x-kubernetes-preserve-unknown-fields": true } as const;
const struct = { type: "object", properties: { a: { type: "string" } } } as const;
const keyed = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", required: ["k"], properties: { k: { type: "string" }, a: { type: "string" } } },
} as const;

/** What is known of a field, and what is applied. */
const shapes: readonly (readonly [name: string, schema: object, value: unknown])[] = [
  ["a struct", struct, { a: "x" }],
  ["a map of nothing known", { type: "object" }, { unknown: 1 }],
  ["a list of nothing known", { type: "array", items: { type: "object" } }, [{ unknown: 1 }]],
  ["a map of anything", { type: "object", additionalProperties: true }, { x: { unknown: 1 }, y: 1 }],
  ["an open struct", { ...struct, ...open }, { a: "x", unknown: 1 }],
  [
    "a struct in an open one",
    { type: "object", ...open, properties: { in: struct } },
    { in: { a: "x", unknown: 1 }, unknown: 1 },
  ],
  [
    "a list of structs in an open one",
    { type: "object", ...open, properties: { in: { type: "array", items: struct } } },
    { in: [{ a: "x", unknown: 1 }] },
  ],
  [
    "a keyed list in an open struct",
    { type: "object", ...open, properties: { in: keyed } },
    { in: [{ k: "k", a: "x", unknown: 1 }] },
  ],
  [
    "a map of structs in an open one",
    { type: "object", ...open, properties: { in: { type: "object", additionalProperties: struct } } },
    { in: { x: { a: "x", unknown: 1 } } },
  ],
  ["an open map of structs", { type: "object", ...open, additionalProperties: struct }, { x: { a: "x", unknown: 1 } }],
  ["an open list of structs", { type: "array", ...open, items: struct }, [{ a: "x", unknown: 1 }]],
  [
    "a list of open structs with structs in them",
    { type: "array", items: { type: "object", ...open, properties: { in: struct } } },
    [{ in: { a: "x", unknown: 1 }, unknown: 1 }],
  ],
  [
    "a struct in what has no type",
    { ...open, properties: { in: struct } },
    { in: { a: "x", unknown: 1 }, unknown: { b: 1 } },
  ],
  [
    "a struct in an embedded resource",
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
    // The first of them writes.
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
    name: "a watch of what is applied and not shown",
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
    name: "what was applied and not shown comes to light with another schema",
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

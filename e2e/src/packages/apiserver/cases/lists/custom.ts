// Custom resources and CRDs.

import { apply, type Case, del, get, patch, post, put, type Step, until, watch } from "../case.ts";
import { crds, thingDefinition } from "../../../../harness/thing-crd.ts";

const schema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        colour: { type: "string", enum: ["red", "blue"], default: "red" },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 5 },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        parts: {
          type: "array",
          maxItems: 5,
          items: {
            type: "object",
            required: ["id"],
            properties: { id: { type: "string" }, n: { type: "integer", default: 7 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["id"],
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        either: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        limit: { type: "integer" },
        replicas: { type: "integer", default: 1 },
      },
      "x-kubernetes-validations": [
        { rule: "!has(self.limit) || self.size <= self.limit", message: "size is over the limit" },
        { rule: "self.size >= oldSelf.size", message: "size may not shrink" },
      ],
    },
    status: {
      type: "object",
      properties: { replicas: { type: "integer" }, selector: { type: "string" }, phase: { type: "string" } },
    },
  },
};

const full = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
  additionalPrinterColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Colour", type: "string", jsonPath: ".spec.colour", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: [{ jsonPath: ".spec.colour" }],
};

const things = "/apis/{ns}.example/v1/namespaces/{ns}/things";
const a = `${things}/a`;
const prepare: readonly Step[] = [
  post(crds, thingDefinition([full])),
  until(things),
  until("/openapi/v3/apis/{ns}.example/v1"),
];

function thing(spec: object, metadata: object = {}): object {
  return { apiVersion: "{ns}.example/v1", kind: "Thing", metadata: { name: "a", ...metadata }, spec };
}

const bodies: readonly (readonly [string, unknown])[] = [
  ["the minimum", thing({ size: 1 })],
  [
    "everything",
    thing({
      size: 2,
      colour: "blue",
      name: "abc",
      tags: ["x", "y"],
      parts: [{ id: "p" }],
      free: { any: { thing: 1 } },
      either: "50%",
      when: "2026-01-01T00:00:00Z",
    }),
  ],
  ["nothing", { apiVersion: "{ns}.example/v1", kind: "Thing", metadata: { name: "a" } }],
  ["a size that is too large", thing({ size: 11 })],
  ["a size of a wrong type", thing({ size: "1" })],
  ["a size that is not an integer", thing({ size: 1.5 })],
  ["an invalid colour", thing({ size: 1, colour: "green" })],
  ["a name that does not match its pattern and is too long", thing({ size: 1, name: "ABCDEF" })],
  ["duplicate tags", thing({ size: 1, tags: ["x", "x"] })],
  ["duplicate parts", thing({ size: 1, parts: [{ id: "p" }, { id: "p" }] })],
  ["too many parts", thing({ size: 1, parts: [1, 2, 3, 4, 5, 6].map((n) => ({ id: `p${n}` })) })],
  ["a part without its key", thing({ size: 1, parts: [{ n: 1 }] })],
  ["an invalid time", thing({ size: 1, when: "yesterday" })],
  ["a violated rule", thing({ size: 5, limit: 3 })],
  ["null for a field with a default", thing({ size: 1, colour: null })],
  ["unknown fields", thing({ size: 1, shade: "dark" })],
  ["a status", { ...thing({ size: 1 }), status: { phase: "x" } }],
  ["many errors at once", thing({ size: 0, colour: "x", name: "9", tags: [1], either: true })],
  ["an invalid name", thing({ size: 1 }, { name: "A_B" })],
  ["another version", { ...thing({ size: 1 }), apiVersion: "{ns}.example/v2" }],
  ["another version and unknown fields", { ...thing({ size: 1 }, { foo: 1 }), apiVersion: "{ns}.example/v2", zed: 1 }],
  ["a version of another group", { ...thing({ size: 1 }, { foo: 1 }), apiVersion: "other.example/v1", zed: 1 }],
  ["another kind", { ...thing({ size: 1 }), kind: "Other" }],
  ["another kind and unknown fields", { ...thing({ size: 1 }, { foo: 1 }), kind: "Other" }],
  ["a wrong type of metadata", thing({ size: 1 }, { labels: { x: 1 } })],
];

const broken: readonly (readonly [string, object])[] = [
  ["no versions", thingDefinition([])],
  ["no schema", thingDefinition([{ name: "v1", served: true, storage: true }])],
  ["no stored version", thingDefinition([{ ...full, storage: false }])],
  ["two stored versions", thingDefinition([full, { ...full, name: "v2" }])],
  ["a duplicate version", thingDefinition([full, { ...full, storage: false }])],
  ["another name", { ...thingDefinition([full]), metadata: { name: "others.{ns}.example" } }],
  ["a group without a dot", thingDefinition([full], { group: "short" })],
  ["invalid names", thingDefinition([full], { names: { plural: "Things", kind: "thing thing", shortNames: ["T H"] } })],
  ["an invalid scope", thingDefinition([full], { scope: "Galaxy" })],
  ["a schema without a type", thingDefinition([{ ...full, schema: { openAPIV3Schema: { properties: { a: {} } } } }])],
  ["a schema of a wrong type", thingDefinition([{ ...full, schema: { openAPIV3Schema: { type: "string" } } }])],
  [
    "a default that violates the schema",
    thingDefinition([
      { ...full, schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: 1 } } } } },
    ]),
  ],
  [
    "a rule that cannot be parsed",
    thingDefinition([
      {
        ...full,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-validations": [{ rule: "self.absent >" }] } },
      },
    ]),
  ],
  [
    "a rule about an undeclared field",
    thingDefinition([
      {
        ...full,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-validations": [{ rule: "self.absent > 1" }] } },
      },
    ]),
  ],
  [
    "a rule that is not a boolean",
    thingDefinition([
      {
        ...full,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-validations": [{ rule: "1 + 1", message: " " }] } },
      },
    ]),
  ],
  [
    "undeclared keys of a list",
    thingDefinition([
      {
        ...full,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              a: {
                type: "array",
                items: { type: "object" },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["id"],
              },
            },
          },
        },
      },
    ]),
  ],
  [
    "a column without a path",
    thingDefinition([{ ...full, additionalPrinterColumns: [{ name: "A", type: "colour", jsonPath: "spec" }] }]),
  ],
  [
    "invalid paths of the scale subresource",
    thingDefinition([
      { ...full, subresources: { scale: { specReplicasPath: "spec", statusReplicasPath: ".replicas" } } },
    ]),
  ],
  [
    "an invalid pattern",
    thingDefinition([
      { ...full, schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", pattern: "(" } } } } },
    ]),
  ],
  ["a webhook conversion without a webhook", thingDefinition([full], { conversion: { strategy: "Webhook" } })],
  [
    "a group of Kubernetes",
    { ...thingDefinition([full], { group: "things.k8s.io" }), metadata: { name: "things.things.k8s.io" } },
  ],
  [
    "selectable fields that are lists",
    thingDefinition([{ ...full, selectableFields: [{ jsonPath: ".spec.tags" }, { jsonPath: ".spec.absent" }] }]),
  ],
  ["unknown fields", { ...thingDefinition([full]), colour: "red" }],
];

const tableHeaders = { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } };

export const customCases: readonly Case[] = [
  {
    name: "a definition",
    steps: [
      post(crds, thingDefinition([full])),
      until(things),
      get(`${crds}/things.{ns}.example`),
      get("/apis/{ns}.example"),
      get("/apis/{ns}.example/v1"),
    ],
  },
  ...broken.map(([what, body]) => ({ name: `a CRD with ${what}`, steps: [post(crds, body)] })),
  ...bodies.map(([what, body]) => ({
    name: `a thing with ${what}`,
    steps: [...prepare, post(things, body), get(a)],
    unordered: what === "many errors at once",
  })),
  ...["Ignore", "Warn", "Strict"].map((validation) => ({
    name: `a thing with unknown fields and fieldValidation=${validation}`,
    steps: [
      ...prepare,
      post(
        `${things}?fieldValidation=${validation}`,
        thing({ size: 1, shade: "dark", parts: [{ id: "p", x: 1 }] }, { spare: 1 }),
      ),
    ],
  })),
  {
    name: "a transition rule: a thing grows and cannot shrink",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 })),
      patch("merge", a, { spec: { size: 5 } }),
      patch("merge", a, { spec: { size: 2 } }),
    ],
  },
  {
    name: "replacement of a thing",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 })),
      put(a, thing({ size: 4 })),
      put(a, thing({ size: 4 }, { resourceVersion: "1" })),
    ],
  },
  {
    name: "status of a thing",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 })),
      patch("merge", `${a}/status`, { status: { phase: "x", odd: 1 }, spec: { size: 9 } }),
      put(`${a}/status`, { ...thing({ size: 3 }), status: { replicas: "x" } }),
      patch("merge", a, { status: { phase: "y" } }),
    ],
  },
  {
    name: "scale of a thing",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 })),
      get(`${a}/scale`),
      patch("merge", `${a}/scale`, { spec: { replicas: 4 } }),
      get(a),
      put(`${a}/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a" },
        spec: { replicas: -1 },
      }),
    ],
  },
  { name: "things as a table", steps: [...prepare, post(things, thing({ size: 3 })), get(things, tableHeaders)] },
  {
    name: "things selected by a field",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 })),
      get(`${things}?fieldSelector=spec.colour%3Dblue`),
      get(`${things}?fieldSelector=spec.colour%3Dred`),
      get(`${things}?fieldSelector=spec.size%3D3`),
    ],
  },
  {
    name: "patches of a thing",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 })),
      patch("json", a, [{ op: "add", path: "/spec/tags", value: ["x"] }]),
      patch("strategic", a, { spec: { size: 4 } }),
      patch("merge", a, { spec: { colour: null } }),
    ],
  },
  {
    name: "apply of a thing",
    steps: [
      ...prepare,
      apply(a, "one", thing({ size: 3, parts: [{ id: "p" }] })),
      apply(a, "two", thing({ size: 3, parts: [{ id: "q", n: 2 }] })),
      apply(a, "two", thing({ size: 4 })),
      apply(a, "one", thing({ size: 3 })),
    ],
  },
  {
    name: "apply of an invalid thing",
    steps: [
      ...prepare,
      apply(a, "one", thing({ size: "x" })),
      apply(a, "one", thing({ size: 3, shade: 1 })),
      apply(a, "one", thing({ size: 11 })),
    ],
  },
  {
    name: "watch things",
    steps: [
      ...prepare,
      watch(`${things}?watch=true`, 3, {
        meanwhile: [post(things, thing({ size: 3 })), patch("merge", a, { spec: { size: 4 } }), del(a)],
      }),
    ],
  },
  {
    name: "deletion of a thing",
    steps: [
      ...prepare,
      post(things, thing({ size: 3 }, { finalizers: ["example.com/x"] })),
      del(a),
      get(a),
      patch("merge", a, { metadata: { finalizers: null } }),
    ],
  },
  { name: "deletion of all things", steps: [...prepare, post(things, thing({ size: 3 })), del(things), get(things)] },
  {
    name: "a CRD with the names of another",
    steps: [
      ...prepare,
      post(crds, {
        ...thingDefinition([full], { names: { plural: "others", kind: "Thing" } }),
        metadata: { name: "others.{ns}.example" },
      }),
    ],
  },
  {
    name: "two versions without a webhook",
    steps: [
      post(crds, thingDefinition([full, { ...full, name: "v2", storage: false }])),
      until(things),
      until("/apis/{ns}.example/v2/namespaces/{ns}/things"),
      post(things, thing({ size: 3 })),
      get("/apis/{ns}.example/v2/namespaces/{ns}/things/a"),
      get("/apis/{ns}.example"),
    ],
  },
  {
    name: "a CRD with changed immutable fields",
    steps: [
      ...prepare,
      patch("merge", `${crds}/things.{ns}.example`, { spec: { scope: "Cluster" } }),
      patch("merge", `${crds}/things.{ns}.example`, { spec: { names: { kind: "Other" } } }),
    ],
  },
  { name: "dry run of a thing", steps: [...prepare, post(`${things}?dryRun=All`, thing({ size: 3 })), get(a)] },
];

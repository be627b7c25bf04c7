// Custom resources and every kind of write. Each case has its own object. One table, and therefore longer than other files.

import type { JsonRecord } from "@homeostat/core";
import { apply, type Case, del, get, patch, post, put, type Step, until, watch } from "../cases/case.ts";
import { group } from "./definitions.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const widget = {
  type: "object",
  required: ["spec"],
  "x-kubernetes-validations": [
    {
      rule: "!has(self.status) || !has(self.status.ready) || self.status.ready <= self.spec.replicas",
      message: "too many are ready",
    },
  ],
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      "x-kubernetes-validations": [
        { rule: "self.size != 'huge' || self.replicas > 1", message: "huge ones need company", fieldPath: ".replicas" },
        {
          rule: "!has(oldSelf.fixed) || (has(self.fixed) && self.fixed == oldSelf.fixed)",
          message: "fixed is fixed",
          reason: "FieldValueForbidden",
        },
      ],
      properties: {
        size: { type: "string", enum: ["small", "large", "huge"] },
        replicas: { type: "integer", format: "int32", minimum: 0, maximum: 10, default: 1 },
        fixed: { type: "string" },
        color: { type: "string", pattern: "^[a-z]+$", maxLength: 5, default: "red" },
        maybe: { type: "string", nullable: true },
        port: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        labels: { type: "object", additionalProperties: { type: "string", maxLength: 3 }, maxProperties: 2 },
        parts: {
          type: "array",
          maxItems: 3,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string" },
              weight: { type: "number", default: 1.5, exclusiveMinimum: true, minimum: 0 },
            },
          },
        },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        choice: {
          type: "object",
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
          properties: { a: { type: "string" }, b: { type: "string" } },
        },
      },
    },
    status: {
      type: "object",
      properties: {
        ready: { type: "integer" },
        selector: { type: "string" },
        phase: { type: "string", maxLength: 4, default: "None" },
        conditions: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
          items: {
            type: "object",
            required: ["type"],
            properties: { type: { type: "string" }, status: { type: "string" } },
          },
        },
      },
    },
  },
};

/** CRDs that the cases need. */
export const objectDefinitions: readonly JsonRecord[] = [
  crd("widgets", "Widget", "Namespaced", [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: widget },
      subresources: {
        status: {},
        scale: {
          specReplicasPath: ".spec.replicas",
          statusReplicasPath: ".status.ready",
          labelSelectorPath: ".status.selector",
        },
      },
      additionalPrinterColumns: [
        { name: "Size", type: "string", jsonPath: ".spec.size" },
        { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "how many" },
        { name: "Parts", type: "string", jsonPath: ".spec.parts", priority: 1 },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
      selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.replicas" }],
    },
  ]),
  crd("plains", "Plain", "Cluster", [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { a: { type: "string", default: "one" } } },
            status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
    },
    {
      name: "v2",
      served: true,
      storage: false,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { a: { type: "string" }, b: { type: "string", default: "two" } } },
            status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
    },
    {
      name: "v1beta1",
      served: true,
      storage: false,
      deprecated: true,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    {
      name: "v1alpha1",
      served: true,
      storage: false,
      deprecated: true,
      deprecationWarning: "go away",
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    {
      name: "v0",
      served: false,
      storage: false,
      schema: { openAPIV3Schema: { type: "object" } },
    },
  ]),
];

function crd(plural: string, kind: string, scope: string, versions: JsonRecord[]): JsonRecord {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind, shortNames: [plural.slice(0, 2)], categories: ["all"] }, versions },
  };
}

/** Preparation of both servers. */
export const preparation: Case = {
  name: "definitions",
  steps: [
    ...objectDefinitions.map((body) => post(definitions, body)),
    until(`/apis/${group}/v1/widgets`),
    until(`/apis/${group}/v2/plains`),
    get(`/apis/${group}`),
    get(`/apis/${group}/v2`),
  ],
};

const base = `/apis/${group}/v1/namespaces/{ns}/widgets`;
const cluster = (version: string): string => `/apis/${group}/${version}/plains`;
let count = 0;

function made(name: string, spec: unknown, over: JsonRecord = {}): JsonRecord {
  return { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name }, spec, ...over };
}

function plain(version: string, name: string, spec: unknown, over: JsonRecord = {}): JsonRecord {
  return { apiVersion: `${group}/${version}`, kind: "Plain", metadata: { name }, spec, ...over };
}

/** Returns a case that creates a possibly invalid object with each mode of field validation. */
function creation(name: string, body: JsonRecord): Case {
  const steps = ["Strict", "Warn", "Ignore"].map((validation) =>
    post(`${base}?dryRun=All&fieldValidation=${validation}`, body),
  );
  return { name: `create: ${name}`, steps };
}

/** Returns a case with steps on an existing object: `{o}` in their paths is its path. */
function steps(name: string, spec: unknown, then: (path: string, name: string) => readonly Step[]): Case {
  count += 1;
  const own = `w${count}`;
  return { name, steps: [post(base, made(own, spec)), ...then(`${base}/${own}`, own), get(`${base}/${own}`)] };
}

const otherUidOptions = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "x" } };
const small = { size: "small" };
const full = {
  size: "large",
  replicas: 3,
  fixed: "f",
  maybe: null,
  port: "http",
  when: "2020-01-01T00:00:00Z",
  free: { z: 1, a: { y: [1, { x: null }] } },
  labels: { a: "b" },
  parts: [{ name: "b", weight: 2 }, { name: "a" }],
  tags: ["y", "x"],
  template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { a: "b" } }, spec: { any: "thing" } },
  choice: { a: "1" },
};

const creations = [
  creation("plain", made("a", small)),
  creation("full", made("a", full)),
  creation("no spec", { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "a" } }),
  creation("null spec", made("a", null)),
  creation("unknown fields", {
    ...made("a", { ...small, zz: 1, parts: [{ name: "a", y: 2 }], labels: { k: "v" } }),
    other: { a: 1 },
    metadata: {
      name: "a",
      foo: 1,
      labels: { a: "b" },
      ownerReferences: [{ bar: 1, apiVersion: "v1", kind: "A", name: "b", uid: "c" }],
    },
  }),
  creation(
    "unknown fields in an embedded resource",
    made("a", { ...small, template: { apiVersion: "v1", kind: "A", metadata: { zz: 1 } } }),
  ),
  creation(
    "all types wrong",
    made("a", {
      size: 1,
      replicas: "x",
      color: 5,
      parts: {},
      tags: "x",
      labels: [],
      port: {},
      when: "x",
      free: 1,
      template: 7,
    }),
  ),
  creation(
    "all values wrong",
    made("a", {
      size: "tiny",
      replicas: 11,
      color: "REDREDRED",
      labels: { a: "toolong", b: "b", c: "c" },
      parts: [{ name: "a", weight: 0 }, { name: "a" }, {}, { name: "d" }],
      tags: ["a", "b", "a"],
      when: "yesterday",
      choice: { a: "1", b: "2" },
      template: { apiVersion: "", kind: "a b", metadata: { name: "-" } },
    }),
  ),
  creation("a rule", made("a", { size: "huge" })),
  creation("a rule that is skipped because of a schema error", made("a", { size: "huge", color: 5 })),
  creation("a number with a fraction", made("a", { ...small, replicas: 1.5 })),
  creation("a large number", made("a", { ...small, replicas: 4294967296, free: { n: 1e18 } })),
  creation("a negative number", made("a", { ...small, replicas: -1 })),
  creation(
    "nulls",
    made("a", { size: "small", replicas: null, color: null, maybe: null, parts: null, labels: { a: null } }),
  ),
  creation("an invalid name", made("A_b", small)),
  creation("no name", { ...made("a", small), metadata: {} }),
  creation("invalid metadata", {
    ...made("a", small),
    metadata: { name: "a", labels: { "a b": "c d" }, annotations: { "!": "x" }, finalizers: ["x", "a/b", "!"] },
  }),
  creation("metadata fields of a wrong type", { ...made("a", small), metadata: { name: "a", labels: { a: 1 } } }),
  creation("metadata that is not an object", { ...made("a", small), metadata: "a" }),
  creation("metadata with an invalid time", {
    ...made("a", small),
    metadata: { name: "a", creationTimestamp: "x" },
  }),
  creation(
    "embedded metadata of a wrong type",
    made("a", { ...small, template: { apiVersion: "v1", kind: "A", metadata: { labels: 1 } } }),
  ),
  creation("an embedded resource without its kind", made("a", { ...small, template: { metadata: { name: "a" } } })),
  creation("another namespace", { ...made("a", small), metadata: { name: "a", namespace: "other" } }),
  creation("another kind", { ...made("a", small), kind: "Other" }),
  {
    name: "create: another version",
    steps: [post(`${base}?fieldValidation=Ignore`, { ...made("a", small), apiVersion: `${group}/v2` })],
  },
  creation("no kind", { ...made("a", small), kind: undefined }),
  creation("finalizers", {
    ...made("a", small),
    metadata: { name: "a", finalizers: ["x", "example.com", "example.com/x", "orphan"] },
  }),
  creation("a status", made("a", small, { status: { ready: "x", phase: "toolong" } })),
  creation("managed fields", {
    ...made("a", small),
    metadata: {
      name: "a",
      managedFields: [
        {
          manager: "m",
          operation: "Update",
          apiVersion: `${group}/v1`,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { "f:size": {} } },
        },
      ],
    },
  }),
  creation(
    "a key with a special name",
    made("a", { ...small, free: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as unknown }),
  ),
];

const changes = [
  steps("put the same", full, (path, name) => [put(path, made(name, full))]),
  steps("merge patches", full, (path) => [
    patch("merge", path, { spec: { color: "blue", parts: [{ name: "c" }], free: { z: null, n: 2 } } }),
    patch("merge", path, { spec: { color: null, size: "small" } }),
    patch("merge", path, { spec: { color: "NO" } }),
    patch("merge", path, { spec: null }),
    patch("merge", path, { spec: { fixed: "g" } }),
    patch("merge", path, { spec: { zz: 1 } }),
    patch("merge", `${path}?fieldValidation=Strict`, { spec: { zz: 1 }, yy: 2 }),
    patch("merge", path, { metadata: { labels: { a: "b" }, finalizers: ["x.test/y"] } }),
    patch("merge", path, { metadata: { labels: { "a b": "b" }, name: "other" } }),
    patch("merge", path, { metadata: { labels: { "a b": "b" } } }),
    patch("merge", path, { metadata: { labels: { a: 1 } } }),
    patch("merge", path, { metadata: { uid: "x" } }),
    patch("merge", path, { metadata: { resourceVersion: "1" } }),
    patch("merge", path, { kind: "Other" }),
    patch("merge", path, { status: { ready: 5 } }),
    patch("merge", path, { spec: { color: "blue" } }),
    patch("merge", path, { metadata: { finalizers: null } }),
  ]),
  steps("json patches", full, (path) => [
    patch("json", path, [{ op: "replace", path: "/spec/size", value: "small" }]),
    patch("json", path, [{ op: "add", path: "/spec/tags/-", value: "z" }]),
    patch("json", path, [{ op: "add", path: "/spec/tags/-", value: "z" }]),
    patch("json", path, [{ op: "remove", path: "/spec/nothing" }]),
    patch("json", path, [{ op: "test", path: "/spec/size", value: "x" }]),
    patch("json", path, [{ op: "remove", path: "/spec" }]),
    patch("strategic", path, { spec: {} }),
  ]),
  steps("unchanged invalid fields are accepted", { size: "small", labels: { a: "b" } }, (path) => [
    patch("merge", path, { spec: { replicas: 12 } }),
    patch("merge", `${path}/status`, { status: { ready: 1, selector: "a=b" } }),
    patch("merge", path, { spec: { replicas: 0 } }),
    patch("merge", path, { spec: { color: "blue" } }),
  ]),
  steps("status", full, (path, name) => [
    patch("merge", `${path}/status`, { status: { ready: 2, conditions: [{ type: "A", status: "True" }] } }),
    patch("merge", `${path}/status`, { status: { ready: "x" } }),
    patch("merge", `${path}/status`, { status: { phase: "toolong" } }),
    patch("merge", `${path}/status`, { status: { conditions: [{ type: "A" }, { type: "A" }] } }),
    patch("merge", `${path}/status`, { status: { ready: 9 } }),
    patch("merge", `${path}/status`, {
      spec: { size: "small" },
      metadata: { labels: { a: "b" } },
      status: { ready: 1 },
    }),
    patch("merge", `${path}/status`, { status: { zz: 1 } }),
    patch("merge", `${path}/status?fieldValidation=Strict`, { status: { zz: 1 } }),
    put(`${path}/status`, made(name, small, { status: { ready: 1 } })),
    get(`${path}/status`),
    patch("merge", path, { status: { ready: 0 }, spec: { size: "small" } }),
    patch("merge", `${path}/status`, { status: null }),
    patch("merge", `${path}/status`, { status: "x" }),
    post(`${path}/status`, {}),
    del(`${path}/status`),
    get(`${path}/other`),
  ]),
  steps("scale", { size: "small", replicas: 2 }, (path, name) => [
    get(`${path}/scale`),
    patch("merge", `${path}/scale`, { spec: { replicas: 3 } }),
    patch("merge", `${path}/scale`, { spec: { replicas: 11 } }),
    patch("merge", `${path}/scale`, { spec: { replicas: -1 } }),
    patch("merge", `${path}/status`, { status: { ready: 1, selector: "a=b" } }),
    get(`${path}/scale`),
    put(`${path}/scale`, {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name, namespace: "{ns}" },
      spec: { replicas: 4 },
    }),
    apply(`${path}/scale`, "hpa", {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name },
      spec: { replicas: 5 },
    }),
    apply(
      `${path}/scale`,
      "hpa",
      { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec: { replicas: 5 } },
      { force: true },
    ),
    del(`${path}/scale`),
  ]),
  steps("apply", full, (path, name) => [
    apply(path, "a", made(name, { size: "small", parts: [{ name: "a", weight: 3 }], labels: { x: "y" } })),
    apply(path, "a", made(name, { size: "small", parts: [{ name: "a", weight: 3 }], labels: { x: "y" } }), {
      force: true,
    }),
    apply(path, "a", made(name, { size: "small", tags: ["q"] })),
    apply(path, "b", made(name, { size: "large" })),
    apply(path, "b", made(name, { size: "nope" }), { force: true }),
    apply(path, "b", made(name, { size: "large", zz: 1 }), { force: true }),
    apply(`${path}?fieldValidation=Strict`, "b", made(name, { size: "large", zz: 1 }), { force: true }),
    apply(`${path}?fieldValidation=Ignore`, "b", made(name, { size: "large", zz: 1 }), { force: true }),
    apply(path, "b", made(name, { size: "large", parts: "x" }), { force: true }),
    apply(
      `${path}/status`,
      "s",
      made(name, undefined, { status: { ready: 1, conditions: [{ type: "A", status: "True" }] } }),
    ),
    apply(`${path}/status`, "t", made(name, undefined, { status: { ready: 2 } })),
    apply(path, "c", made(name, {}, { status: { ready: 3 } }), { force: true }),
    apply(path, "", made(name, small)),
    apply(path, "d", { ...made(name, small), kind: "Other" }),
    apply(path, "d", { ...made("else", small) }),
    apply(`${path}?dryRun=All`, "d", made(name, { size: "small", color: "green" }), { force: true }),
  ]),
  {
    name: "apply creates",
    steps: [
      apply(`${base}/applied`, "a", made("applied", { size: "large", parts: [{ name: "p" }] })),
      apply(`${base}/applied`, "a", made("applied", { size: "large", parts: [{ name: "p" }] })),
      apply(`${base}/broken`, "a", made("broken", { size: 1 })),
      apply(`${base}/broken`, "a", made("broken", {})),
      del(`${base}/applied`),
      del(`${base}/applied`),
    ],
  },
  steps("deletion", small, (path) => [
    patch("merge", path, { metadata: { finalizers: ["a.test/b"] } }),
    del(path, otherUidOptions, { headers: { "content-length": String(JSON.stringify(otherUidOptions).length) } }),
    del(path),
    del(path),
    patch("merge", path, { metadata: { finalizers: ["a.test/b", "c.test/d"] } }),
    patch("merge", path, { spec: { replicas: 4 } }),
    patch("merge", path, { metadata: { finalizers: [] } }),
  ]),
  steps("lists and selectors", { size: "small", color: "pink", replicas: 7 }, (_, name) => [
    get(`${base}?fieldSelector=spec.color%3Dpink`),
    get(`${base}?fieldSelector=spec.replicas%3D7`),
    get(`${base}?fieldSelector=spec.color%3Dpink,metadata.name%3D${name}`),
    get(`${base}?fieldSelector=spec.size%3Dsmall`),
    get(`${base}?fieldSelector=metadata.namespace%3D{ns},metadata.name%3D${name}`),
    get(`${base}?fieldSelector=spec.color%3Dpink`, {
      headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
    }),
    get(`${base}/${name}`, { headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" } }),
    get(`${base}/${name}`, { headers: { accept: "application/yaml" } }),
    get(`${base}/${name}`, { headers: { accept: "application/vnd.kubernetes.protobuf" } }),
    watch(`${base}?watch=1&fieldSelector=spec.color%3Dpink&timeoutSeconds=1`, 1),
  ]),
];

const versions: Case[] = [
  {
    name: "versions",
    steps: [
      post(cluster("v1"), plain("v1", "one", { b: "lost" })),
      get(`${cluster("v1")}/one`),
      get(`${cluster("v2")}/one`),
      get(`${cluster("v1beta1")}/one`),
      get(`${cluster("v1alpha1")}/one`),
      get(`${cluster("v0")}/one`),
      post(cluster("v2"), plain("v2", "two", { a: "x" })),
      get(`${cluster("v1")}/two`),
      post(cluster("v1beta1"), plain("v1beta1", "three", { b: "kept?", c: 1 }, { extra: 1 })),
      get(`${cluster("v1beta1")}/three`),
      get(`${cluster("v2")}/three`),
      patch("merge", `${cluster("v2")}/one`, { spec: { b: "z" } }),
      apply(`${cluster("v2")}/one`, "m", plain("v2", "one", { a: "q" }), { force: true }),
      apply(`${cluster("v1")}/one`, "m", plain("v1", "one", { a: "q" })),
      apply(`${cluster("v1")}/one`, "n", plain("v1", "one", { a: "r" })),
      patch("merge", `${cluster("v1")}/one`, { status: { any: "thing" } }),
      patch("merge", `${cluster("v1")}/one/status`, { status: { any: "thing" } }),
      get(`${cluster("v1")}/one/scale`),
      get(cluster("v2")),
      get(cluster("v1"), { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } }),
      get(`${cluster("v1")}?limit=1`),
      get(`/apis/${group}/v1/namespaces/{ns}/plains`),
      post(`/apis/${group}/v1/widgets`, made("x", small)),
      post(cluster("v1"), { ...plain("v1", "four", {}), metadata: { name: "four", namespace: "{ns}" } }),
      del(`${cluster("v2")}/two`),
      del(cluster("v1")),
      get(cluster("v1")),
    ],
  },
];

export const objectCases: readonly Case[] = [...creations, ...changes, ...versions];

// Valid and invalid CRDs for every validation rule. One table, and therefore longer than other files.

import type { JsonRecord } from "@homeostat/core";

export const group = "crd.homeostat.test";

/** A CRD and its description. */
export interface Case {
  readonly name: string;
  readonly body: JsonRecord;
}

const plain = { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } };

/** Returns a version; `over` replaces its fields. */
export function version(name: string, over: JsonRecord = {}): JsonRecord {
  return { name, served: true, storage: name === "v1", schema: { openAPIV3Schema: plain }, ...over };
}

/** Returns a CRD; `spec` and `metadata` replace fields. */
export function definition(spec: JsonRecord = {}, metadata: JsonRecord = {}): JsonRecord {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}`, ...metadata },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [version("v1")],
      ...spec,
    },
  };
}

/** Returns a CRD of one version with a schema. */
export function withSchema(schema: unknown, over: JsonRecord = {}): JsonRecord {
  return definition({ versions: [version("v1", { schema: { openAPIV3Schema: schema }, ...over })] });
}

/** Returns a CRD whose objects have one field with a schema. */
export function withField(schema: unknown): JsonRecord {
  return withSchema({ type: "object", properties: { x: schema } });
}

const names = (over: JsonRecord): JsonRecord => definition({ names: { plural: "things", kind: "Thing", ...over } });
const webhook = (client: unknown, versions: unknown = ["v1"]): JsonRecord =>
  definition({
    conversion: { strategy: "Webhook", webhook: { clientConfig: client, conversionReviewVersions: versions } },
  });
const one = (over: JsonRecord): JsonRecord => definition({ versions: [version("v1", over)] });
const scale = (over: JsonRecord): JsonRecord =>
  one({ subresources: { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a", ...over } } });
const rule = (text: string, over: JsonRecord = {}): JsonRecord =>
  withField({ type: "integer", "x-kubernetes-validations": [{ rule: text, ...over }] });
const letters = "abcdefghijkl".split("");
const other = { type: "object", properties: { spec: { type: "object", properties: { b: { type: "integer" } } } } };

function cases(part: string, bodies: Readonly<Record<string, JsonRecord>>): Case[] {
  return Object.entries(bodies).map(([name, body]) => ({ name: `${part}: ${name}`, body }));
}

/** CRDs that test everything except schemas. */
const frame = [
  ...cases("whole", {
    plain: definition(),
    cluster: definition({ scope: "Cluster" }),
    "no spec": { ...definition(), spec: undefined },
    "empty spec": { ...definition(), spec: {} },
    "another name": definition({}, { name: "other.things" }),
    "no name": definition({}, { name: undefined }),
    "an invalid label": definition({}, { labels: { "a b": "c d" } }),
    "a status": { ...definition(), status: { storedVersions: ["v9"], acceptedNames: { plural: "!" } } },
    "preserved fields": definition({ preserveUnknownFields: true }),
    "preserved fields, not": definition({ preserveUnknownFields: false }),
    "preserved fields and defaults": definition({
      preserveUnknownFields: true,
      versions: [
        version("v1", {
          schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: "x" } } } },
        }),
      ],
    }),
    "preserved fields and a webhook": definition({
      preserveUnknownFields: true,
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a.test" }, conversionReviewVersions: ["v1"] },
      },
    }),
  }),
  ...cases("group", {
    none: definition({ group: undefined }, { name: "things." }),
    "no dot": definition({ group: "x" }, { name: "things.x" }),
    "not a domain": definition({ group: "A_B.c" }, { name: "things.A_B.c" }),
    another: definition({ group: "other.test" }),
    "of the community": definition({ group: "x.k8s.io" }, { name: "things.x.k8s.io" }),
    "a community group, approved": definition(
      { group: "x.k8s.io" },
      { name: "things.x.k8s.io", annotations: { "api-approved.kubernetes.io": "https://github.com/x/pull/1" } },
    ),
    "a community group, not approved": definition(
      { group: "x.kubernetes.io" },
      { name: "things.x.kubernetes.io", annotations: { "api-approved.kubernetes.io": "unapproved, for a test" } },
    ),
    "a community group, with an invalid annotation": definition(
      { group: "k8s.io" },
      { name: "things.k8s.io", annotations: { "api-approved.kubernetes.io": "yes" } },
    ),
  }),
  ...cases("names", {
    "none at all": definition({ names: undefined }),
    "no kind": names({ kind: undefined }),
    "no plural": names({ plural: undefined }),
    "a plural in capitals": names({ plural: "Things" }),
    "a bad singular": names({ singular: "a b" }),
    "a bad kind": names({ kind: "Thing!" }),
    "an invalid list kind": names({ listKind: "9" }),
    "a list kind equal to the kind": names({ listKind: "Thing" }),
    "short names and categories": names({ shortNames: ["t", "T", "-"], categories: ["all", "x y"] }),
    "a name that is too long": names({ singular: "a".repeat(64) }),
    "another scope": definition({ scope: "Global" }),
    "no scope": definition({ scope: undefined }),
  }),
  ...cases("versions", {
    none: definition({ versions: [] }),
    "none said": definition({ versions: undefined }),
    "no name": definition({ versions: [version("v1", { name: undefined })] }),
    "an invalid name": definition({ versions: [version("v1", { name: "V 1" })] }),
    "two with the same name": definition({ versions: [version("v1"), version("v1", { storage: false })] }),
    "two stored versions": definition({ versions: [version("v1"), version("v2", { storage: true })] }),
    "no stored version": definition({ versions: [version("v2")] }),
    "no served version": one({ served: false }),
    "two with the same schema": definition({ versions: [version("v1"), version("v2")] }),
    "two with different schemas": definition({
      versions: [version("v1"), version("v2", { schema: { openAPIV3Schema: other } })],
    }),
    "two with different invalid schemas": definition({
      versions: [
        version("v1", {
          storage: false,
          schema: { openAPIV3Schema: { type: "string" } },
          subresources: { status: {} },
          additionalPrinterColumns: [{}],
          selectableFields: [{ jsonPath: ".x" }],
        }),
        version("v1", { storage: false, schema: { openAPIV3Schema: { properties: { a: {} } } } }),
      ],
    }),
    "two with different selectable fields": definition({
      versions: [version("v1", { selectableFields: [{ jsonPath: ".spec.a" }] }), version("v2")],
    }),
    "no schema": one({ schema: undefined }),
    "an empty schema": one({ schema: {} }),
    "a schema in one of two versions": definition({ versions: [version("v1"), version("v2", { schema: undefined })] }),
    "a deprecation warning without deprecation": one({ deprecationWarning: "gone soon" }),
    "a warning": one({ deprecated: true, deprecationWarning: "gone soon" }),
    "an empty warning": one({ deprecated: true, deprecationWarning: "" }),
    "a long warning": one({ deprecated: true, deprecationWarning: "x".repeat(257) }),
    "a deprecation warning with control characters": one({ deprecated: true, deprecationWarning: "ä\u0007\u0008" }),
    "unknown fields": one({ foo: 1 }),
  }),
  ...cases("subresources", {
    both: scale({ labelSelectorPath: ".status.selector" }),
    "a scale without paths": one({ subresources: { scale: {} } }),
    "paths without dots": scale({ specReplicasPath: "spec.a", statusReplicasPath: "status.a", labelSelectorPath: "x" }),
    "paths elsewhere": scale({ specReplicasPath: ".a", statusReplicasPath: ".spec.a", labelSelectorPath: ".x<y" }),
    "in one of two versions": definition({
      versions: [version("v1", { subresources: { status: {} } }), version("v2", { subresources: { scale: {} } })],
    }),
    "a status and a root schema with forbidden keywords": withSchema(
      { type: "object", maxProperties: 3, properties: { status: { type: "object" } } },
      { subresources: { status: {} } },
    ),
    "a status and a root without properties": withSchema(
      { type: "array", items: { type: "string" } },
      { subresources: { status: {} } },
    ),
    "a status and a root with all allowed keywords": withSchema(
      {
        id: "x",
        description: "<a> & b",
        type: "object",
        enum: [{ b: 1, a: "<" }],
        default: { z: 1, a: [true, null] },
        allOf: [{ required: ["a"] }],
        properties: { 10: { type: "string" }, b: { type: "array", items: { type: "integer", maximum: 1e21 } } },
        additionalProperties: false,
        "x-kubernetes-validations": [
          { rule: "self.a < 1 && true", optionalOldSelf: true, reason: "FieldValueForbidden" },
        ],
        externalDocs: { url: "https://a.test" },
      },
      { subresources: { status: {} } },
    ),
  }),
  ...cases("columns", {
    some: one({
      additionalPrinterColumns: [
        { name: "A", type: "string", jsonPath: ".spec.a" },
        { name: "B", type: "date", format: "date-time", priority: 1, description: "d", jsonPath: ".metadata.x" },
      ],
    }),
    "an empty one": one({ additionalPrinterColumns: [{}] }),
    "a wrong one": one({ additionalPrinterColumns: [{ name: "a", type: "text", format: "long", jsonPath: "spec" }] }),
    "an invalid path": one({ additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: ".a[?(" }] }),
    "an invalid one in one of two versions": definition({
      versions: [version("v1", { additionalPrinterColumns: [{ name: "a" }] }), version("v2")],
    }),
  }),
  ...cases("selectable fields", {
    one: one({ selectableFields: [{ jsonPath: ".spec.a" }] }),
    none: one({ selectableFields: [{}] }),
    "everything invalid": one({
      selectableFields: [
        { jsonPath: "spec" },
        { jsonPath: "." },
        { jsonPath: ".spec" },
        { jsonPath: ".spec.b" },
        { jsonPath: ".spec.a.c" },
        { jsonPath: ".spec['a']" },
        { jsonPath: ".spec.a" },
        { jsonPath: ".spec.a" },
        { jsonPath: "..a" },
        { jsonPath: ".metadata.name" },
      ],
    }),
    "of the metadata": withSchema(
      { type: "object", properties: { metadata: { type: "object", properties: { name: { type: "string" } } } } },
      { selectableFields: [{ jsonPath: ".metadata.name" }] },
    ),
    "too many": withSchema(
      {
        type: "object",
        properties: Object.fromEntries(letters.slice(0, 9).map((name) => [name, { type: "boolean" }])),
      },
      { selectableFields: letters.slice(0, 9).map((name) => ({ jsonPath: `.${name}` })) },
    ),
    "of a map": withField({ type: "object", additionalProperties: { type: "string" } }),
  }),
  ...cases("conversion", {
    none: definition({ conversion: { strategy: "None" } }),
    "no strategy": definition({ conversion: {} }),
    "another strategy": definition({ conversion: { strategy: "Foo" } }),
    "strategy None with a webhook": definition({
      conversion: {
        strategy: "None",
        webhook: { clientConfig: { url: "https://a.test" }, conversionReviewVersions: ["v1"] },
      },
    }),
    "strategy Webhook without a webhook": definition({ conversion: { strategy: "Webhook" } }),
    "an empty webhook": definition({ conversion: { strategy: "Webhook", webhook: {} } }),
    "a URL": webhook({ url: "https://a.test/convert" }),
    "a service": webhook({ service: { namespace: "a", name: "b" } }),
    "a service with all fields": webhook({ service: { namespace: "a", name: "b", path: "/a/b", port: 1 } }),
    both: webhook({ url: "https://a.test", service: { namespace: "a", name: "b" } }),
    neither: webhook({}),
    "an insecure URL": webhook({ url: "http://a:b@c.test/?d#e" }),
    "a service without names": webhook({ service: { path: "x//y_", port: 70000 } }),
    "an invalid CA bundle": webhook({ url: "https://a.test", caBundle: "YWJj" }),
    "no versions": webhook({ url: "https://a.test" }, []),
    "strange versions": webhook({ url: "https://a.test" }, ["v2", "v2", "V_"]),
    "older versions": webhook({ url: "https://a.test" }, ["v1beta1", "v7"]),
  }),
];

/** CRDs that test schemas and rules. */
const schemas = [
  ...cases("schema", {
    "no type": withField({}),
    "another type": withField({ type: "text" }),
    null: withField({ type: "null" }),
    "a nullable root": withSchema({ type: "object", nullable: true }),
    "a root that is not an object": withSchema({ type: "string" }),
    "open root": withSchema({ type: "object", additionalProperties: { type: "string" } }),
    "an array without items": withField({ type: "array" }),
    "several items": withField({ type: "array", items: [{ type: "string" }] }),
    "items and properties": withField({
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: {},
    }),
    "forbidden keywords": withField({
      type: "object",
      id: "a",
      $ref: "#/b",
      definitions: { a: { type: "string" } },
      dependencies: { a: ["b"] },
      patternProperties: { a: { type: "string" } },
      additionalItems: true,
      uniqueItems: true,
      additionalProperties: false,
    }),
    "a schema and an example": withField({ type: "string", $schema: "x", example: 1, title: "t" }),
    "metadata with forbidden keywords": withSchema({
      type: "object",
      properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
    }),
    "branches with forbidden keywords": withField({
      type: "object",
      anyOf: [
        { type: "object", description: "a", default: {}, nullable: true },
        { properties: { z: { type: "string" } } },
      ],
      not: { "x-kubernetes-preserve-unknown-fields": true, additionalProperties: { type: "string" } },
    }),
    "int or string": withField({ "x-kubernetes-int-or-string": true }),
    "int or string with branches": withField({
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    }),
    "int or string with a type": withField({ "x-kubernetes-int-or-string": true, type: "integer" }),
    preserving: withField({ "x-kubernetes-preserve-unknown-fields": true }),
    "preserving, not": withField({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
    embedded: withField({ type: "object", "x-kubernetes-embedded-resource": true }),
    "an embedded resource of type string": withField({ type: "string", "x-kubernetes-embedded-resource": true }),
    "an invalid pattern": withField({ type: "string", pattern: "(" }),
    "a pattern with a lookahead": withField({ type: "string", pattern: "(?=a)" }),
    "unknown formats": withField({
      type: "object",
      properties: {
        a: { type: "string", format: "strange" },
        b: { type: "integer", format: "int9" },
        c: { type: "number", format: "float" },
        d: { type: "boolean", format: "yes" },
        e: { type: "string", format: "k8s-short-name" },
      },
    }),
  }),
  ...cases("list types", {
    unknown: withField({ type: "array", "x-kubernetes-list-type": "bag", items: { type: "string" } }),
    "of no list": withField({ type: "string", "x-kubernetes-list-type": "set" }),
    "a set of granular objects": withField({
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "object" },
    }),
    "a set of sets": withField({
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } },
    }),
    "a map without keys": withField({ type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } }),
    "a map of strings": withField({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "string" },
    }),
    "invalid keys": withField({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "b", "c", "a"],
      items: {
        type: "object",
        nullable: true,
        properties: { a: { type: "object" }, b: { type: "string", nullable: true } },
      },
    }),
    "keys without a map": withField({
      type: "array",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string" } } },
    }),
    "an invalid map type": withField({ type: "object", "x-kubernetes-map-type": "strange" }),
    "a map type on a list": withField({
      type: "array",
      items: { type: "string" },
      "x-kubernetes-map-type": "atomic",
    }),
  }),
  ...cases("defaults", {
    right: withField({ type: "object", default: { a: 1 }, properties: { a: { type: "integer", default: 2 } } }),
    "of another type": withField({ type: "integer", default: "x" }),
    "with unknown fields": withField({ type: "object", default: { b: 1 }, properties: { a: { type: "integer" } } }),
    "that violate their schema": withField({
      type: "object",
      required: ["a"],
      properties: { a: { type: "string", maxLength: 2 }, b: { type: "string", enum: ["x"], default: "y" } },
      default: { a: "long" },
    }),
    "that violate a rule": withField({
      type: "integer",
      default: 1,
      "x-kubernetes-validations": [{ rule: "self > 1", message: "too small" }],
    }),
    "in metadata": withSchema({
      type: "object",
      properties: { metadata: { type: "object", default: { name: "a" } } },
    }),
    "in an embedded resource": withField({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { apiVersion: "v1", kind: "k!", metadata: { name: "-a/" } },
    }),
    "of null": withField({ type: "string", default: null }),
  }),
  ...cases("rules", {
    right: rule("self > 0"),
    empty: rule(""),
    "that do not compile": rule("self +"),
    "of another type": rule("self"),
    "of unknown names": rule("other > 0"),
    "with a message": rule("self > 0", { message: "must be positive" }),
    "with a message of two lines": rule("self > 0", { message: "a\nb" }),
    "with an empty message": rule("self > 0", { message: "  " }),
    "with a message expression": rule("self > 0", { messageExpression: "'got ' + string(self)" }),
    "with an invalid message expression": rule("self > 0", { messageExpression: "self" }),
    "with a reason": rule("self > 0", { reason: "FieldValueForbidden" }),
    "with another reason": rule("self > 0", { reason: "Other" }),
    "with a path": rule("self > 0", { fieldPath: ".x" }),
    "about change": rule("self >= oldSelf"),
    "about change, optional": rule("!oldSelf.hasValue() || self > 0", { optionalOldSelf: true }),
    "with a superfluous optionalOldSelf": rule("self > 0", { optionalOldSelf: true }),
    "with oldSelf in a set": withField({
      type: "array",
      items: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
    }),
    "over the cost limit": withField({
      type: "array",
      items: { type: "string" },
      "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, a == b || a.contains(b)))" }],
    }),
    "over the total cost limit": withField({
      type: "object",
      properties: Object.fromEntries(
        letters.map((name) => [
          name,
          {
            type: "array",
            maxItems: 900,
            items: { type: "string", maxLength: 10 },
            "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, a == b))" }],
          },
        ]),
      ),
    }),
    "in branches": withField({
      type: "integer",
      anyOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }],
    }),
  }),
];

export const definitionCases: readonly Case[] = [...frame, ...schemas];

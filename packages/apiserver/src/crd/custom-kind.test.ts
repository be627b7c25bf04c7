import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JsonRecord, parseFieldSelector } from "@homeostat/core";
import { formatProblem } from "@homeostat/schema";
import { anonymousUser } from "../auth/user.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { StatusError } from "../status/status.ts";
import { CustomConversion } from "./custom-conversion.ts";
import { customKinds } from "./custom-kind.ts";
import { readDefinition } from "./definition.ts";
import { definition, version } from "../testing/crd-definition.ts";

const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer", maximum: 5, default: 1 },
          color: { type: "string" },
        },
      },
      status: { type: "object", properties: { ready: { type: "integer" }, note: { type: "string", maxLength: 3 } } },
    },
  },
};
const subresources = {
  status: {},
  scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready", labelSelectorPath: ".status.note" },
};

/** Returns the kinds of a definition whose names are accepted. */
function kinds(versions: JsonRecord[], status: JsonRecord = {}): ServedKind[] {
  const object = definition({ versions });
  const read = readDefinition({ ...object, status: { acceptedNames: object.spec.names, ...status } });
  const conversion = new CustomConversion(read);
  return customKinds(read, { clock: { now: () => 0 }, conversion }).map(({ kind }) => kind);
}

function only(over: JsonRecord = {}, status: JsonRecord = {}): ServedKind {
  const [kind] = kinds([version("v1", { schema, subresources, ...over })], status);
  assert.ok(kind !== undefined);
  return kind;
}

const thing = (spec: unknown, over: JsonRecord = {}): JsonRecord => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "n", uid: "u", resourceVersion: "1", generation: 1 },
  spec,
  ...over,
});
const context = (subresource = ""): Parameters<ServedKind["checkNew"]>[1] => ({
  user: anonymousUser,
  namespace: "n",
  nowMs: 0,
  subresource,
});

describe("a custom kind", () => {
  it("prunes unknown fields, reports them, and sets defaults", () => {
    const sent = thing({ color: "red", zz: 1 }, { yy: 2 });

    const { object, strictErrors } = only().complete(sent, "Strict");

    assert.deepEqual(object, thing({ color: "red", size: 1 }));
    assert.deepEqual(strictErrors, ['unknown field "spec.zz"', 'unknown field "yy"']);
    assert.deepEqual(only().complete(sent, "Ignore").strictErrors, []);
  });

  it("refuses malformed metadata", () => {
    const sent = { ...thing({}), metadata: { name: "a", labels: { a: 1 } } };

    assert.throws(
      () => only().complete(sent, "Warn"),
      (error) =>
        error instanceof StatusError &&
        error.status.code === 400 &&
        error.message ===
          'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });

  it("validates the metadata, schema and scale of a new object", () => {
    const object = { ...thing({ size: -1 }), metadata: { name: "A", namespace: "n" } };

    const lines = only().checkNew(object, context()).map(formatProblem);

    assert.match(lines[0] ?? "", /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/);
    assert.equal(lines[1], ".spec.size: Invalid value: -1: should be a non-negative integer");
  });

  it("accepts invalid values that did not change", () => {
    const old = thing({ size: 9, color: "red" });

    assert.deepEqual(only().checkChanged(thing({ size: 9, color: "blue" }), old, context()), []);
    assert.deepEqual(
      only()
        .checkChanged(thing({ size: 8 }), old, context())
        .map(formatProblem),
      ["spec.size: Invalid value: 8: spec.size in body should be less than or equal to 5"],
    );
  });

  it("treats a null status as absent, unless it is nullable", () => {
    const nullable = { type: "object", properties: { status: { type: "object", nullable: true } } };
    const [plain, loose] = [only(), only({ schema: { openAPIV3Schema: nullable } })];
    const [absent, kept] = [thing({}, { status: null }), thing({}, { status: null })];

    plain.prepareChanged(absent, thing({}, { status: { ready: 1 } }), context("status"));
    loose.prepareChanged(kept, thing({}), context("status"));

    assert.equal(Object.hasOwn(absent, "status"), false);
    assert.equal(kept["status"], null);
  });

  it("writes the status only through its own endpoint", () => {
    const kind = only();
    const old = thing({ size: 1 }, { status: { ready: 1 } });
    const [sent, toStatus] = [
      thing({ size: 2 }, { status: { ready: 2 } }),
      thing({ size: 2 }, { status: { ready: 2 } }),
    ];

    kind.prepareChanged(sent, old, context());
    kind.prepareChanged(toStatus, old, context("status"));

    assert.deepEqual(sent, thing({ size: 2 }, { status: { ready: 1 } }));
    assert.deepEqual(toStatus, thing({ size: 1 }, { status: { ready: 2 } }));
    assert.deepEqual(
      kind.checkChanged(thing({ size: 9 }, { status: { note: "long" } }), old, context("status")).map(formatProblem),
      ["status.note: Too long: may not be more than 3 bytes"],
    );
  });

  it("refuses creation while its definition is terminating", () => {
    const kind = only({}, { conditions: [{ type: "Terminating", status: "True" }] });

    assert.throws(
      () => kind.prepareNew(thing({}), context()),
      (error) =>
        error instanceof StatusError &&
        error.message ===
          'things.example.com "a" is forbidden: create not allowed while custom resource definition is terminating',
    );
  });

  it("supports the selectable fields of its definition", () => {
    const kind = only({ selectableFields: [{ jsonPath: ".spec.size" }] });

    assert.equal(kind.selectorProblem(parseFieldSelector("spec.size=1,metadata.name=a")), undefined);
    assert.equal(kind.selectorProblem(parseFieldSelector("spec.color=x")), "field label not supported: spec.color");
    assert.equal(kind.fieldValue(thing({ size: 3 }), "spec.size"), "3");
    assert.equal(kind.fieldValue(thing({}), "spec.size"), "");
    assert.equal(kind.fieldValue(thing({}), "metadata.namespace"), "n");
  });

  it("names the declared kind when it refuses another kind", () => {
    assert.throws(
      () => only().checkNew({ ...thing({}), kind: "Other" }, context()),
      (error) =>
        error instanceof StatusError &&
        error.message === 'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Thing',
    );
  });

  it("warns about deprecated versions and finalizers without a domain", () => {
    const [first, second, third] = kinds([
      version("v1", { schema }),
      version("v1beta1", { schema, deprecated: true }),
      version("v1alpha1", { schema, deprecated: true, deprecationWarning: "go" }),
    ]);
    const object = { ...thing({}), metadata: { finalizers: ["x", "a.test", "a.test/b"] } };

    assert.equal(first?.deprecationWarning, undefined);
    assert.equal(second?.deprecationWarning, "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing");
    assert.equal(third?.deprecationWarning, "go");
    assert.deepEqual(first?.warningsOf(object, undefined), [
      'metadata.finalizers: "a.test": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "x": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
    assert.deepEqual(first?.warningsOf(object, object), []);
  });

  it("is never served as stored if it may have hidden fields", () => {
    const field = (schema: JsonRecord): JsonRecord => ({
      openAPIV3Schema: { type: "object", properties: { spec: schema } },
    });

    assert.equal(only({ schema: field({ type: "object" }) }).identicalSinceRevision, Infinity);
    assert.equal(only({ schema: field({ type: "string" }) }).identicalSinceRevision, undefined);
  });

  it("keeps custom fields that have the names of standard fields", () => {
    const free = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const sent = JSON.parse(
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"__proto__":{"x":1}}',
    ) as JsonRecord;
    const kind = only({ schema: free, subresources: undefined });

    const stored = kind.toStored(kind.complete(sent, "Strict").object);

    assert.equal(
      JSON.stringify(stored),
      '{"__proto__":{"x":1},"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}',
    );
    assert.equal(Object.getPrototypeOf(stored), Object.prototype);
  });
});

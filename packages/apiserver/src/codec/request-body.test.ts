import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { StatusError } from "../status/status.ts";
import { readDeleteBody } from "./delete-body.ts";
import { encodeProtobuf } from "./encode-protobuf.ts";
import { sealEnvelope } from "./envelope.ts";
import { type AcceptedObject, bodyBytesMax, type FieldStrictness, readRequestBody } from "./request-body.ts";
import { typeTable } from "./type-table.ts";

describe("the body of a create or update request", () => {
  it("may omit its kind, and is completed with every field that Go serializes", () => {
    const { object, warnings } = read('{"metadata":{"name":"x"}}');

    assert.deepEqual(object, {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "x" },
      spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
      status: {},
    });
    assert.deepEqual(warnings, []);
  });

  it("is accepted with warnings, unless validation is strict", () => {
    const body = '{"spec":{"replicas":1,"foo":1,"replicas":2}}';
    const strictErrors = ['unknown field "spec.foo"', 'duplicate field "spec.replicas"'];

    assert.deepEqual(read(body).warnings, strictErrors);
    assert.deepEqual(read(body, { fieldValidation: "Warn" }).warnings, strictErrors);
    assert.deepEqual(read(body, { fieldValidation: "Ignore" }).warnings, []);
    assert.equal(
      refusal(body, { fieldValidation: "Strict" }).message,
      `Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ${strictErrors.join(", ")}`,
    );
  });

  it("may be protobuf", () => {
    const type = typeTable().kindType("apps/v1", "Deployment");
    assert.ok(type !== undefined);
    const body = sealEnvelope("apps/v1", "Deployment", encodeProtobuf(type, { spec: { replicas: 3 } }));

    const { object } = read(body, { contentType: "application/vnd.kubernetes.protobuf" });

    assert.equal((object["spec"] as JsonRecord)["replicas"], 3);
    assert.equal(object["kind"], "Deployment");
  });

  it("may be YAML", () => {
    const { object } = read("spec:\n  replicas: 3\n", { contentType: "application/yaml" });

    assert.equal((object["spec"] as JsonRecord)["replicas"], 3);
  });

  it("is kept unchanged for a custom resource, whatever its keys", () => {
    const text = '{"apiVersion":"e.com/v1","kind":"W","n":9007199254740993,"__proto__":{"x":1},"constructor":null}';

    const { object } = read(text, { isCustom: true });

    assert.deepEqual(Object.keys(object), ["apiVersion", "kind", "n", "__proto__", "constructor"]);
    assert.equal(object["n"], 9_007_199_254_740_993n);
    assert.equal(Reflect.get({}, "x"), undefined);
  });

  it("is refused if it is too long or of an unsupported media type", () => {
    assert.equal(refusal(new Uint8Array(bodyBytesMax + 1)).code, 413);
    assert.equal(refusal("{}", { contentType: "text/plain" }).code, 415);
    assert.equal(refusal("{}", { contentType: "application/vnd.kubernetes.protobuf", isCustom: true }).code, 415);
  });

  it("is refused if it is of another kind", () => {
    const { message } = refusal('{"kind":"Pod","apiVersion":"v1"}');

    const reason = "converting (v1.Pod) to (apps.Deployment): unknown conversion";
    assert.equal(message, `Pod in version "v1" cannot be handled as a Deployment: ${reason}`);
  });
});

describe("the body of a delete request", () => {
  it("may be missing, or DeleteOptions of any group", () => {
    const json = Buffer.from('{"apiVersion":"apps/v1","kind":"DeleteOptions","gracePeriodSeconds":0,"foo":1}');
    const type = typeTable().kindType("v1", "DeleteOptions");
    assert.ok(type !== undefined);
    const options = { propagationPolicy: "Foreground", preconditions: { uid: "u" } };
    const protobuf = sealEnvelope("apps/v1", "DeleteOptions", encodeProtobuf(type, options));

    assert.equal(readDeleteBody(Buffer.alloc(0), "text/plain"), undefined);
    assert.deepEqual(readDeleteBody(json, "application/json"), {
      kind: "DeleteOptions",
      apiVersion: "apps/v1",
      gracePeriodSeconds: 0,
    });
    assert.deepEqual(readDeleteBody(protobuf, "application/vnd.kubernetes.protobuf"), {
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
    });
  });

  it("is refused if it is of another kind", () => {
    assert.throws(
      () => readDeleteBody(Buffer.from('{"kind":"Pod"}'), ""),
      /no kind "Pod" is registered for version "meta.k8s.io\/v1"/,
    );
    assert.throws(() => readDeleteBody(Buffer.from("{}"), "text/plain"), /unknown format/);
  });
});

interface Options {
  readonly contentType?: string;
  readonly fieldValidation?: FieldStrictness;
  readonly isCustom?: boolean;
}

function read(
  body: string | Uint8Array,
  { contentType = "application/json", fieldValidation = "", isCustom = false }: Options = {},
): AcceptedObject {
  const expected = isCustom ? { apiVersion: "e.com/v1", kind: "W" } : { apiVersion: "apps/v1", kind: "Deployment" };
  return readRequestBody({ body: Buffer.from(body), contentType, expected, isCustom, fieldValidation });
}

function refusal(body: string | Uint8Array, options?: Options): StatusError["status"] {
  try {
    read(body, options);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new assert.AssertionError({ message: "it was accepted" });
}

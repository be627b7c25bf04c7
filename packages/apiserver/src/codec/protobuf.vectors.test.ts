import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { encodeJson } from "./encode-json.ts";
import { encodeProtobuf } from "./encode-protobuf.ts";
import { openEnvelope, sealEnvelope } from "./envelope.ts";
import { readJson } from "./read-value.ts";
import { type StructType, typeTable } from "./type-table.ts";

interface ObjectCase {
  json: string;
  protobuf: string;
}

const { objects } = JSON.parse(readFileSync(new URL("../../vectors/protobuf.json", import.meta.url), "utf8")) as {
  objects: ObjectCase[];
};

describe("protobuf compared with the codec of Kubernetes", () => {
  it("supports every kind", () => {
    const envelopes = objects.map((each) => openEnvelope(Buffer.from(each.protobuf, "base64")));

    const kinds = new Set(envelopes.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));

    assert.ok(kinds.size > 300, `${kinds.size} kinds`);
  });

  it("decodes every object as Go does", () => {
    const wrong = objects.filter((each) => {
      const { apiVersion, kind, raw } = openEnvelope(Buffer.from(each.protobuf, "base64"));
      const read = { ...decodeProtobuf(typeOf(apiVersion, kind), raw), apiVersion, kind };
      return !isEqual(read, readJson(each.json).value);
    });

    assert.ok(objects.length > 900);
    assert.deepEqual(wrong.map((each) => each.json.slice(0, 200)).slice(0, 3), []);
  });

  it("serializes every decoded object to the same JSON as Go", () => {
    const wrong = objects.filter((each) => {
      const { apiVersion, kind, raw } = openEnvelope(Buffer.from(each.protobuf, "base64"));
      const read = decodeProtobuf(typeOf(apiVersion, kind), raw);
      return encodeJson({ kind, apiVersion, ...read }) !== each.json;
    });

    assert.deepEqual(wrong.map((each) => each.json.slice(0, 200)).slice(0, 3), []);
  });

  it("encodes every object byte for byte as Go does", () => {
    const wrong = objects.filter((each) => {
      const object = readJson(each.json).value as JsonRecord & { apiVersion: string; kind: string };
      const { apiVersion, kind } = object;
      const written = sealEnvelope(apiVersion, kind, encodeProtobuf(typeOf(apiVersion, kind), object));
      return written.toString("base64") !== each.protobuf;
    });

    assert.deepEqual(wrong.map((each) => each.json.slice(0, 300)).slice(0, 3), []);
  });
});

function typeOf(apiVersion: string, kind: string): StructType {
  const type = typeTable().kindType(apiVersion, kind);
  assert.ok(type !== undefined, `${apiVersion} ${kind}`);
  return type;
}

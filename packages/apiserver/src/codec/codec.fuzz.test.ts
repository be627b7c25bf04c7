import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz, propertyRuns } from "@homeostat/fuzz";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { DecodeError } from "./decode-error.ts";
import { encodeJson } from "./encode-json.ts";
import { openEnvelope } from "./envelope.ts";
import { negotiateAccept, readContentType, resourceOffer } from "./media-types.ts";
import { readJson } from "./read-value.ts";
import { readYaml } from "./read-yaml.ts";
import { decodeRequestObject } from "./request-object.ts";
import { type StructType, typeTable } from "./type-table.ts";

const isExpected = (error: unknown): boolean => error instanceof DecodeError;

describe("malformed protobuf", () => {
  it("is decoded or refused", () => {
    const samples = protobufSamples();

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) => mutateBytes(chance, chance.pick(samples)),
      run: (bytes) => {
        const { apiVersion, kind, raw } = openEnvelope(bytes);
        const type = typeTable().kindType(apiVersion, kind) ?? podType();
        return decodeProtobuf(type, raw);
      },
      isExpected,
    });

    assert.ok(accepted > 1000 && accepted < 99_000, `${accepted} accepted`);
  });

  it("is refused if it is nested without end", () => {
    const { schemaProps } = typeTable();
    const not = schemaProps.wire.find((field) => schemaProps.members[field.offset]?.name === "not")?.number ?? 0;
    let nested: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 5000; depth += 1) {
      nested = Buffer.concat([varint(not * 8 + 2), varint(nested.length), nested]);
    }

    assert.throws(() => decodeProtobuf(schemaProps, nested), { name: "DecodeError" });
  });
});

describe("malformed JSON", () => {
  it("is decoded or refused", () => {
    const pieces = [
      '"',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\\",
      "\\u12",
      "1e400",
      "null",
      '"__proto__":',
      "-",
      "9007199254740993",
      "\ud800",
      "\u0000",
    ];
    const samples = [
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"a":"b"}},"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}}',
      '{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3,"strategy":{"rollingUpdate":{"maxSurge":"25%"}}}}',
      '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{}],"default":{"a":1}}}}]}}',
      '{"kind":"Secret","apiVersion":"v1","data":{"a":"aGVsbG8="},"__proto__":{"x":1}}',
    ];

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(samples), pieces),
      run: (text) => encodeJson(decodeRequestObject(text, { apiVersion: "v1", kind: "Pod" }).object),
      isExpected,
    });

    assert.ok(accepted > 1000 && accepted < 99_000, `${accepted} accepted`);
  });

  it("is refused in time if it is built to be slow", () => {
    const hostile = [
      "[".repeat(1_000_000),
      '{"a":'.repeat(500_000),
      `"${"\\".repeat(1_000_000)}`,
      "1".repeat(1_000_000),
      `[${"1,".repeat(500_000)}`,
    ];

    fuzz({
      count: hostile.length,
      input: (_chance, n) => hostile[n] ?? "",
      run: readJson,
      isExpected,
      milliseconds: 400,
    });
  });

  it("is decoded in time with many equal keys", () => {
    const text = `{${Array.from({ length: 200_000 }, () => '"a":1').join(",")}}`;

    const { duplicates } = readJson(text);

    assert.deepEqual(duplicates, ['duplicate field "a"']);
  });
});

describe("malformed YAML", () => {
  it("is decoded or refused", () => {
    const pieces = [
      ": ",
      "\n",
      "  ",
      "- ",
      "&a ",
      "*a",
      "<<: ",
      "{",
      "}",
      "[",
      "]",
      '"',
      "'",
      "|",
      ">",
      "!!",
      "%",
      "#",
      "---",
      "\t",
      "yes",
      "0755",
    ];
    const sample =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: &n x\ndata:\n  a: *n\n  list: [1, {b: c}]\n  text: |\n    one\n    two\n";

    // A YAML document takes a millisecond.
    const count = propertyRuns(4_000);
    const { accepted } = fuzz({
      count,
      input: (chance) => chance.mutate(sample, pieces),
      run: readYaml,
      isExpected,
    });

    assert.ok(accepted > count / 40 && accepted < count * 0.975, `${accepted} of ${count} accepted`);
  });
});

describe("malformed headers", () => {
  it("are parsed without an error", () => {
    const pieces = [
      "application/json",
      "*/*",
      ";",
      ",",
      "q=0.5",
      "=",
      "as=Table",
      "g=meta.k8s.io",
      "v=v1",
      " ",
      '"',
      "/",
      "stream=watch",
    ];

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate("application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.9", pieces),
      run: (header) => [negotiateAccept(header, resourceOffer({ isCustom: false })), readContentType(header)],
      isExpected: () => false,
    });
    const long = `application/json${";a=b".repeat(100_000)}${",x/y".repeat(100_000)}`;
    fuzz({
      count: 1,
      input: () => long,
      run: (text) => [negotiateAccept(text, resourceOffer({ isCustom: false })), readContentType(text)],
      isExpected: () => false,
      milliseconds: 500,
    });
  });
});

function protobufSamples(): Buffer[] {
  const file = readFileSync(new URL("../../vectors/protobuf.json", import.meta.url), "utf8");
  const { objects } = JSON.parse(file) as { objects: { protobuf: string }[] };
  return objects.map((each) => Buffer.from(each.protobuf, "base64")).filter((bytes) => bytes.length < 500);
}

function podType(): StructType {
  const type = typeTable().kindType("v1", "Pod");
  assert.ok(type !== undefined);
  return type;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) return Buffer.from(bytes);
  }
}

/** Changes, removes, inserts or doubles a few bytes, more often behind the prefix than in it. */
function mutateBytes(chance: SeededRandom, sample: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(sample);
  for (let edits = 1 + chance.int(3); edits > 0; edits -= 1) {
    const at = chance.int(16) === 0 ? chance.int(4) : 4 + chance.int(Math.max(1, bytes.length - 4));
    const end = Math.min(bytes.length, at + chance.int(3));
    const insert = Buffer.from([chance.pick([0, 1, 0x7f, 0x80, 0xff, chance.int(256)])]);
    const kind = chance.int(4);
    if (kind === 0) bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at)]);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    else if (kind === 2) bytes = bytes.subarray(0, at);
    else bytes[Math.min(at, bytes.length - 1)] = insert[0] ?? 0;
  }
  return bytes;
}

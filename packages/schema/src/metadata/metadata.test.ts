import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dnsSubdomainProblems } from "@homeostat/core";
import { formatProblem } from "../problem/problem.ts";
import { checkObjectMeta } from "./check.ts";
import { decodeObjectMeta } from "./decode.ts";
import { normalizeTime } from "./time.ts";

describe("decodeObjectMeta", () => {
  it("returns normalized metadata without copying it", () => {
    const meta = { name: "x", labels: { a: "b" }, creationTimestamp: "2024-01-01T00:00:00Z", finalizers: ["a/b"] };

    assert.deepEqual(decodeObjectMeta(meta), { meta, unknown: [] });
    const decoded = decodeObjectMeta(meta);
    assert.ok("meta" in decoded && decoded.meta === meta);
  });

  it("drops unknown and empty fields, and normalizes times", () => {
    const decoded = decodeObjectMeta({
      name: "x",
      foo: 1,
      labels: {},
      generation: 0,
      namespace: "",
      creationTimestamp: "2024-01-01T00:00:00.5+01:00",
      finalizers: [null, "x"],
      ownerReferences: [{ kind: "K", bar: 1, controller: false }],
      deletionGracePeriodSeconds: 0,
    });

    assert.deepEqual(decoded, {
      meta: {
        name: "x",
        creationTimestamp: "2023-12-31T23:00:00Z",
        finalizers: ["", "x"],
        ownerReferences: [{ kind: "K", controller: false, apiVersion: "", name: "", uid: "" }],
        deletionGracePeriodSeconds: 0,
      },
      unknown: ["foo", "ownerReferences[0].bar"],
    });
  });

  it("reports decoding errors with the messages of Go", () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [5, "json: cannot unmarshal number into Go value of type v1.ObjectMeta"],
      [{ labels: { a: 1 } }, "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"],
      [{ labels: [] }, "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string"],
      [
        { generation: 1.5 },
        "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
      ],
      [
        { ownerReferences: [{ controller: "x" }] },
        "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
      ],
      [{ creationTimestamp: "x" }, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
      [{ creationTimestamp: "2024-13-01T00:00:00Z" }, 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    ];

    for (const [value, problem] of cases) assert.deepEqual(decodeObjectMeta(value), { problem });
  });
});

describe("normalizeTime", () => {
  it("validates dates by the calendar", () => {
    assert.deepEqual(normalizeTime("2024-02-29T23:59:59-00:01"), { time: "2024-03-01T00:00:59Z" });
    assert.deepEqual(normalizeTime("2023-02-29T00:00:00Z"), {
      problem: 'parsing time "2023-02-29T00:00:00Z": day out of range',
    });
  });
});

describe("checkObjectMeta", () => {
  const rules = { isNamespaced: true, nameProblems: dnsSubdomainProblems };
  const check = (meta: { readonly [key: string]: unknown }): string[] =>
    checkObjectMeta(meta, "metadata", rules).map(formatProblem);

  it("accepts valid metadata", () => {
    assert.deepEqual(
      check({ name: "x.y", namespace: "default", labels: { "a.b/c": "" }, annotations: { "A/b": "anything" } }),
      [],
    );
  });

  it("reports all problems", () => {
    const lines = check({
      generateName: "A-",
      generation: -1,
      labels: { "a b": "ok" },
      finalizers: ["orphan", "foregroundDeletion"],
      ownerReferences: [
        { apiVersion: "v1", kind: "A", name: "a", uid: "1", controller: true },
        { apiVersion: "v1", kind: "B", name: "b", uid: "", controller: true },
      ],
      managedFields: [{ operation: "Nope", fieldsType: "V2", manager: "a\u0000" }],
    });

    assert.deepEqual(
      lines.map((line) => line.replace(/ \(e\.g\..*$/, "")),
      [
        "metadata.generateName: Invalid value: \"A-\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        "metadata.name: Required value: name or generateName is required",
        "metadata.namespace: Required value",
        "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
        "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"B","name":"b","uid":"","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/a and B/b',
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
        'metadata.managedFields[0].operation: Invalid value: "Nope": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "a\\x00": invalid character U+0000 (at position 1)',
      ],
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import type { Schema } from "../structural/schema.ts";
import { parsePath, resolvePath } from "./path.ts";

const root: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        ports: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
        labels: { type: "object", additionalProperties: { type: "string" } },
        "x-kind": { type: "boolean" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};

function lead(path: string): string {
  const steps = parsePath(path);
  if (steps === undefined) return "no path";
  const found = resolvePath(root, steps);
  if (found === undefined) return "nowhere";
  return "unknown" in found ? "unknown" : (found.schema.type ?? "untyped");
}

describe("a path", () => {
  it("resolves through fields, lists and maps", () => {
    const paths: [string, string][] = [
      [".spec.ports[0].name", "string"],
      [".spec.ports[*].name", "string"],
      ['.spec.ports[?(@.name=="a]b")].name', "string"],
      [".spec.labels.anything", "string"],
      [".spec.labels.example\\.com/team", "string"],
      [".spec['x-kind']", "boolean"],
      ['.spec["x-kind"]', "boolean"],
      [".metadata.creationTimestamp", "string"],
      [".metadata.generation", "integer"],
      [".spec.free.what.ever", "unknown"],
    ];

    for (const [path, type] of paths) assert.equal(lead(path), type, path);
  });

  it("resolves to undefined if the schema has no such field", () => {
    for (const path of [
      ".status",
      ".spec.port",
      ".spec.ports.name",
      ".spec.toString",
      ".spec.x-kind.y",
      ".metadata.x",
    ]) {
      assert.equal(lead(path), "nowhere", path);
    }
  });

  it("is rejected if it is malformed", () => {
    for (const path of [
      "",
      "spec",
      ".",
      "..spec",
      ".spec[",
      ".spec[1:2]",
      ".spec.ports[?(@.name)",
      "{.spec}",
      ".spec.a\\",
    ]) {
      assert.equal(lead(path), "no path", path);
    }
  });

  it("is parsed in linear time, whatever the input", () => {
    const parts = [".", "a", "spec", "[", "]", "'", '"', "\\", "?(", ")", "*", "0", "@.x==", "__proto__", " ", "ü"];
    const run = (path: string): unknown => resolvePath(root, parsePath(path) ?? []);

    fuzz({
      count: 100_000,
      seed: 7,
      input: (chance) => Array.from({ length: 1 + chance.int(12) }, () => chance.pick(parts)).join(""),
      run,
      isExpected: () => false,
    });
    for (const long of ["[?(", ".a\\", "['", ".a[0]"]) {
      fuzz({ count: 1, input: () => long.repeat(50_000), run: parsePath, isExpected: () => false });
    }
  });
});

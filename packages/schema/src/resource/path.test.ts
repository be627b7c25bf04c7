import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
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

/** How long something takes, in nanoseconds. What seems slow is tried again: the machine may have been busy elsewhere. */
function time(run: () => unknown): number {
  let best = Infinity;
  for (let tries = 0; tries < 3 && best > 50e6; tries += 1) {
    const before = process.hrtime.bigint();
    run();
    best = Math.min(best, Number(process.hrtime.bigint() - before));
  }
  return best;
}

describe("a path", () => {
  it("leads through fields, lists and maps", () => {
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

  it("leads nowhere when the schema has no such field", () => {
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

  it("is refused when it is written wrongly", () => {
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

  it("is read in no time, however hostile", () => {
    const random = new SeededRandom(7);
    const parts = [".", "a", "spec", "[", "]", "'", '"', "\\", "?(", ")", "*", "0", "@.x==", "__proto__", " ", "ü"];
    let slowest = 0;

    for (let count = 0; count < 100_000; count += 1) {
      let path = "";
      for (let length = Math.floor(random.next() * 12); length >= 0; length -= 1) {
        path += parts[Math.floor(random.next() * parts.length)] ?? "";
      }
      const elapsed = time(() => resolvePath(root, parsePath(path) ?? []));
      slowest = Math.max(slowest, elapsed);
    }
    for (const long of [
      "[?(".repeat(50_000),
      ".a\\".repeat(50_000),
      "['".repeat(50_000),
      `.a${"[0]".repeat(50_000)}`,
    ]) {
      slowest = Math.max(
        slowest,
        time(() => parsePath(long)),
      );
    }

    assert.ok(slowest < 100e6, `${slowest / 1e6} ms`);
    assert.equal(Object.keys(Object.prototype).length, 0);
  });
});

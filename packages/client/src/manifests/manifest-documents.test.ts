import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manifestDocuments } from "./manifest-documents.ts";

describe("manifestDocuments", () => {
  it("returns the documents of YAML and of JSON", () => {
    assert.deepEqual(manifestDocuments("kind: A\n---\n---\nkind: B\n", "f"), [{ kind: "A" }, null, { kind: "B" }]);
    assert.deepEqual(manifestDocuments('{"kind": "A"}', "f"), [{ kind: "A" }]);
    assert.deepEqual(manifestDocuments("", "f"), []);
  });

  it("names the file with the first error", () => {
    assert.throws(() => manifestDocuments("a: [", "shop.yaml"), /^UsageError: shop\.yaml is not valid YAML: /);
  });

  it("refuses files that are too large, and aliases that expand to too much", () => {
    assert.throws(() => manifestDocuments("a".repeat(4 * 1024 * 1024 + 1), "f"), /f is larger than 4 MiB/);
    const levels = Array.from({ length: 12 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(10)}]`);
    assert.throws(() => manifestDocuments(["l0: &l0 [x]", ...levels].join("\n"), "f"), /f is not valid YAML: .*alias/i);
  });
});

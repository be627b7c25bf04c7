import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRootCaCurrent, rootCa } from "./root-ca.ts";

describe("the root CA ConfigMap", () => {
  it("is right as built, and wrong after a change", () => {
    const made = rootCa("shop", "PEM");

    assert.equal(isRootCaCurrent(made, "PEM"), true);
    assert.equal(isRootCaCurrent(made, "OTHER"), false);
    assert.equal(isRootCaCurrent({ ...made, data: { "ca.crt": "PEM", more: "x" } }, "PEM"), false);
    assert.equal(isRootCaCurrent({ ...made, metadata: {} }, "PEM"), false);
  });

  it("keeps labels and annotations of other writers when it is corrected", () => {
    const found = rootCa("shop", "OLD");
    const annotated = { ...found, metadata: { ...found.metadata, annotations: { a: "b" }, labels: { c: "d" } } };

    const next = rootCa("shop", "PEM", annotated);

    assert.equal(isRootCaCurrent(next, "PEM"), true);
    assert.equal(next.metadata.annotations?.["a"], "b");
    assert.deepEqual(next.metadata.labels, { c: "d" });
  });
});

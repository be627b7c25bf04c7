import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { enabledLibraries, kubernetesLibraries } from "./kubernetes.ts";

describe("the libraries of Kubernetes", () => {
  it("are sorted by version, each once", () => {
    const minors = enabledLibraries.map(({ sinceMinor }) => sinceMinor);
    const names = kubernetesLibraries.map(({ name }) => name);

    assert.deepEqual(
      minors,
      minors.toSorted((left, right) => left - right),
    );
    assert.ok((minors.at(-1) ?? 0) <= 36);
    assert.equal(new Set(names).size, names.length);
  });

  it("have unique overload ids", () => {
    const ids = kubernetesLibraries.flatMap(({ functions = [] }) =>
      functions.flatMap(({ overloads }) => overloads.map(({ id }) => id)),
    );

    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
    assert.ok(ids.length > 120);
  });
});

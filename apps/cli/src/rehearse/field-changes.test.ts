import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeChange, fieldChanges } from "./field-changes.ts";

const lines = (before: object, after: object): string[] => fieldChanges(before, after).flatMap(describeChange);

describe("changes of fields", () => {
  it("name the path of each field, with items of lists by their name", () => {
    const before = {
      metadata: { name: "a", labels: { "app/name": "x" } },
      spec: { replicas: 3, containers: [{ name: "main", image: "i:1" }, { name: "side" }], args: ["a"] },
    };
    const after = {
      metadata: { name: "a", labels: { "app/name": "y" } },
      spec: { replicas: 5, containers: [{ name: "side" }, { name: "main", image: "i:2" }], args: ["a", "b"] },
    };

    assert.deepEqual(lines(before, after), [
      "spec.replicas: 3 -> 5",
      'spec.containers[main].image: "i:1" -> "i:2"',
      'spec.args: ["a"] -> ["a","b"]',
      'metadata.labels[app/name]: "x" -> "y"',
    ]);
  });

  it("leave out the status and the metadata of the API server", () => {
    const before = { metadata: { name: "a", resourceVersion: "1", generation: 1 }, status: { ready: false } };
    const after = { metadata: { name: "a", resourceVersion: "2", generation: 2, finalizers: ["x"] }, status: {} };

    assert.deepEqual(lines(before, after), []);
  });

  it("show added and removed fields, the lines of texts, and the beginning of digests", () => {
    const before = { data: { "a.toml": "one = 1\ntwo = 2\n", gone: "x" }, hash: "0123456789abcdef0123" };
    const after = { data: { "a.toml": "two = 3\none = 1\n", more: { b: true } }, hash: "fedcba98765432100123" };

    assert.deepEqual(lines(before, after), [
      "data[a.toml]: - two = 2",
      "data[a.toml]: + two = 3",
      'data.gone: "x" -> (none)',
      'data.more: (none) -> {"b":true}',
      "hash: 01234567... -> fedcba98...",
    ]);
  });

  it("show the part of a long line that differs", () => {
    const start = "x".repeat(300);

    assert.deepEqual(lines({ text: `${start}1\n` }, { text: `${start}2\n` }), [
      `text: - ...${"x".repeat(40)}1`,
      `text: + ...${"x".repeat(40)}2`,
    ]);
  });
});

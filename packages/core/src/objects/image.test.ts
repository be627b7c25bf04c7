import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseImage } from "./image.ts";

describe("parseImage", () => {
  it("returns the parts of a reference", () => {
    const digest = `sha256:${"a".repeat(64)}`;

    assert.deepEqual(parseImage("redis"), { repository: "redis", tag: undefined, digest: undefined });
    assert.deepEqual(parseImage("redis:7-alpine"), { repository: "redis", tag: "7-alpine", digest: undefined });
    assert.deepEqual(parseImage("localhost:5000/a/b"), {
      repository: "localhost:5000/a/b",
      tag: undefined,
      digest: undefined,
    });
    assert.deepEqual(parseImage(`r.example.com:5000/a/b:v1@${digest}`), {
      repository: "r.example.com:5000/a/b",
      tag: "v1",
      digest,
    });
  });

  it("returns undefined for spaces, upper case, and empty or overlong parts", () => {
    const texts = ["", " ", "a b", "A", "a:", "a@sha256:1", "a:b:c", "/a", "a//b", "a\n", "x".repeat(256)];

    assert.deepEqual(
      texts.filter((text) => parseImage(text) !== undefined),
      [],
    );
  });
});

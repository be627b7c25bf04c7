import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planKeys, publicationMs, rotationMs, signingKey, tokenSecondsMax } from "./preview-keys.ts";

const key = (id: string, createdAt: number) => ({ id, createdAt });

describe("keys of preview tokens", () => {
  it("begin with one key, which signs at once", () => {
    assert.deepEqual(planKeys([], 0), { isDue: true, kept: [] });
    assert.equal(signingKey([key("a", 0)], 0)?.id, "a");
    assert.equal(signingKey([], 0), undefined);
  });

  it("rotate after 30 days, and keep one older key", () => {
    const [a, b, c] = [key("a", 0), key("b", rotationMs), key("c", 2 * rotationMs)];

    assert.deepEqual(planKeys([a], rotationMs - 1), { isDue: false, kept: [a] });
    assert.deepEqual(planKeys([a], rotationMs), { isDue: true, kept: [a] });
    assert.deepEqual(planKeys([a, b], rotationMs), { isDue: false, kept: [b, a] });
    assert.deepEqual(planKeys([a, b], 2 * rotationMs), { isDue: true, kept: [b] });
    assert.deepEqual(planKeys([a, b, c], 2 * rotationMs), { isDue: false, kept: [c, b] });
  });

  it("sign with the older key until gateways know the newer one", () => {
    const keys = [key("a", 0), key("b", rotationMs)];

    assert.equal(signingKey(keys, rotationMs + publicationMs - 1)?.id, "a");
    assert.equal(signingKey(keys, rotationMs + publicationMs)?.id, "b");
  });

  it("verify every token until it expires", () => {
    const lastSignedAt = rotationMs + publicationMs;
    const removedAt = 2 * rotationMs;

    assert.ok(lastSignedAt + tokenSecondsMax * 1_000 < removedAt);
  });
});

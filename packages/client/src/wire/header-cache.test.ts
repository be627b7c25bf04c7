import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HeaderCache } from "./header-cache.ts";

const headerCache = new HeaderCache({ "user-agent": "test", host: "example" });
const anonymous = { authorization: undefined, certificate: undefined };

describe("HeaderCache", () => {
  it("formats accept, content type, authorization and length", () => {
    const request = {
      method: "POST",
      path: "/",
      headers: { accept: "application/json", "content-type": "application/json", "audit-id": "a-1" },
      body: "gr\u00fc\u00df",
    } as const;

    const lines = headerCache.format(request, { ...anonymous, authorization: "Bearer x" });

    assert.deepEqual(lines?.split("\r\n").toSorted(), [
      "",
      "accept-encoding: identity",
      "accept: application/json",
      "audit-id: a-1",
      "authorization: Bearer x",
      "content-length: 6",
      "content-type: application/json",
      "host: example",
      "user-agent: test",
    ]);
    assert.equal(headerCache.format(request, { ...anonymous, authorization: "Bearer y" })?.includes("Bearer x"), false);
  });

  it("sends content-length 0 for methods that may have a body", () => {
    assert.match(headerCache.format({ method: "DELETE", path: "/" }, anonymous) ?? "", /content-length: 0\r\n$/);
    assert.doesNotMatch(headerCache.format({ method: "GET", path: "/" }, anonymous) ?? "", /content-length/);
  });

  it("returns undefined for unusual or invalid headers", () => {
    const get = { method: "GET", path: "/" } as const;

    assert.equal(headerCache.format({ ...get, headers: { "x-own": "1" } }, anonymous), undefined);
    assert.equal(headerCache.format({ ...get, headers: { accept: ["a", "b"] } }, anonymous), undefined);
    assert.equal(headerCache.format({ ...get, headers: { accept: "a\r\nb: c" } }, anonymous), undefined);
    assert.equal(headerCache.format(get, { ...anonymous, authorization: "Bearer \n" }), undefined);
    assert.equal(new HeaderCache({ "accept-encoding": "gzip" }).format(get, anonymous), undefined);
  });
});

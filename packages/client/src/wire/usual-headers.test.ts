import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsualHeaders } from "./usual-headers.ts";

const usual = new UsualHeaders({ "user-agent": "test", host: "example" });
const nobody = { authorization: undefined, certificate: undefined };

describe("UsualHeaders", () => {
  it("writes what a request accepts, sends and how long it is", () => {
    const request = {
      method: "POST",
      path: "/",
      headers: { accept: "application/json", "content-type": "application/json", "audit-id": "a-1" },
      body: "gr\u00fc\u00df",
    } as const;

    const lines = usual.linesOf(request, { ...nobody, authorization: "Bearer x" });

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
    assert.equal(usual.linesOf(request, { ...nobody, authorization: "Bearer y" })?.includes("Bearer x"), false);
  });

  it("says that there is no body where one could be", () => {
    assert.match(usual.linesOf({ method: "DELETE", path: "/" }, nobody) ?? "", /content-length: 0\r\n$/);
    assert.doesNotMatch(usual.linesOf({ method: "GET", path: "/" }, nobody) ?? "", /content-length/);
  });

  it("leaves alone what is unusual or cannot be written", () => {
    const get = { method: "GET", path: "/" } as const;

    assert.equal(usual.linesOf({ ...get, headers: { "x-own": "1" } }, nobody), undefined);
    assert.equal(usual.linesOf({ ...get, headers: { accept: ["a", "b"] } }, nobody), undefined);
    assert.equal(usual.linesOf({ ...get, headers: { accept: "a\r\nb: c" } }, nobody), undefined);
    assert.equal(usual.linesOf(get, { ...nobody, authorization: "Bearer \n" }), undefined);
    assert.equal(new UsualHeaders({ "accept-encoding": "gzip" }).linesOf(get, nobody), undefined);
  });
});

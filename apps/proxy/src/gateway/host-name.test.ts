import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostNameOf } from "./host-name.ts";

describe("hostNameOf", () => {
  const cases: readonly [authority: string | undefined, host: string | undefined][] = [
    ["web--k3v.preview.test", "web--k3v.preview.test"],
    ["WEB--K3V.Preview.Test:8443", "web--k3v.preview.test"],
    ["web.preview.test.", "web.preview.test"],
    ["web.preview.test.:80", "web.preview.test"],
    ["localhost", "localhost"],
    [undefined, undefined],
    ["", undefined],
    ["web..test", undefined],
    [".test", undefined],
    ["[::1]:80", undefined],
    ["web.test:http", undefined],
    ["web.test:123456", undefined],
    ["user@web.test", undefined],
    ["web.test/path", undefined],
    ["web.test, other.test", undefined],
    ["wéb.test", undefined],
    [`${"a".repeat(300)}.test`, undefined],
  ];
  for (const [authority, host] of cases) {
    it(`reads ${JSON.stringify(authority)?.slice(0, 40)} as ${host ?? "no host"}`, () => {
      assert.equal(hostNameOf(authority), host);
    });
  }
});

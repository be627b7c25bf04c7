import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePreviewHost, type PreviewHost } from "./preview-host.ts";
import { parsePreviewSettings } from "./preview-settings.ts";

const host: PreviewHost = {
  host: "web--k3v9q2m7x1c4d.preview.test",
  namespace: "shop",
  service: "frontend",
  port: 80,
  protocol: "http1",
  version: "v1",
  path: "/",
  auth: "Token",
  routingKey: "k3v9q2m7x1c4d",
  expiresAt: "2030-01-01T00:00:00Z",
  addresses: ["10.0.0.1:8080", "[fd00::1]:80"],
  tokens: ["id-1"],
};

describe("parsePreviewHost", () => {
  it("reads a host, and ignores fields of newer versions", () => {
    assert.deepEqual(parsePreviewHost({ ...host, newField: 1 }), { host, problems: [] });
  });

  const invalid: readonly [name: string, value: unknown][] = [
    ["host", "Web.preview.test"],
    ["host", undefined],
    ["namespace", "shop/other"],
    ["service", ""],
    ["port", 0],
    ["port", 65_536],
    ["protocol", "http3"],
    ["tls", { caBundle: "-----BEGIN CERTIFICATE-----", serverName: "a.test" }],
    ["path", "api"],
    ["auth", "none"],
    ["auth", undefined],
    ["routingKey", "K"],
    ["defaultKey", "a b"],
    ["expiresAt", "tomorrow"],
    ["addresses", ["10.0.0.1"]],
    ["tokens", [""]],
    ["tokens", "id-1"],
  ];
  for (const [name, value] of invalid) {
    it(`refuses the whole host if ${name} is ${JSON.stringify(value)}`, () => {
      const { host: parsed, problems } = parsePreviewHost({ ...host, [name]: value });

      assert.equal(parsed, undefined);
      assert.match(problems.map(({ field }) => field).join(), new RegExp(`^${name}`));
    });
  }
});

describe("a host of a Service with TLS", () => {
  const tls = { caBundle: "-----BEGIN CERTIFICATE-----\n", serverName: "frontend.shop.svc" };

  it("is read with the authorities and the name", () => {
    const value = { ...host, protocol: "https", tls };
    assert.deepEqual(parsePreviewHost(value), { host: value, problems: [] });
  });

  for (const change of [
    { tls: undefined },
    { tls: { ...tls, caBundle: "" } },
    { tls: { ...tls, caBundle: "x".repeat(70_000) } },
    { tls: { ...tls, serverName: "a b" } },
    { tls: { caBundle: tls.caBundle } },
  ])
    it(`is refused with ${JSON.stringify(change).slice(0, 60)}`, () => {
      assert.equal(parsePreviewHost({ ...host, protocol: "https", ...change }).host, undefined);
    });
});

describe("parsePreviewSettings", () => {
  const key = { id: "one", key: "a".repeat(43) };

  it("leaves out keys and a forward service that are invalid, so that requests that need them are refused", () => {
    const forward = { url: "ftp://auth", headers: ["X-User"] };
    const { settings, problems } = parsePreviewSettings({ keys: [key, { id: "two", key: "short" }], forward });

    assert.deepEqual(settings, { keys: [key], isSecure: true });
    assert.deepEqual(
      problems.map(({ field }) => field),
      ["preview.keys[1].key", "preview.forward.url"],
    );
  });

  it("reads headers in lower case, and has a time limit by default", () => {
    const { settings } = parsePreviewSettings({ forward: { url: "http://auth.test/check", headers: ["X-User"] } });

    assert.deepEqual(settings.forward, { url: "http://auth.test/check", headers: ["x-user"], timeoutMs: 2_000 });
  });

  it("reads the header that names users, and leaves out a forward service whose header is invalid", () => {
    const forward = { url: "http://auth.test/check", userHeader: "X-Auth-User" };
    const read = (value: object) => parsePreviewSettings({ forward: value }).settings.forward;

    assert.equal(read(forward)?.userHeader, "x-auth-user");
    assert.equal(read({ ...forward, userHeader: "x user" }), undefined);
    assert.equal(read({ ...forward, userHeader: "" }), undefined);
  });
});

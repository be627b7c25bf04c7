import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { PublishedEndpoint, TableHost } from "@homeostat/sandbox-operator";
import { HostClaims } from "../observe/host-claims.ts";
import { buildHost } from "./build-host.ts";

const endpoint: PublishedEndpoint = {
  name: "web",
  host: "web--k3v9q2m7x1c4d.preview.test",
  target: "http://frontend.shop.svc:80",
  auth: "Token",
  path: "/",
  routingKey: "k3v9q2m7x1c4d",
};

type Ports = NonNullable<NonNullable<Service["spec"]>["ports"]>;

function build(change: Partial<PublishedEndpoint> = {}, ports: Ports = [{ port: 80 }], isReady = true) {
  return buildHost({
    endpoint: { ...endpoint, ...change },
    expiresAt: "2030-01-01T00:00:00Z",
    service: (key) =>
      key === "shop/frontend"
        ? { apiVersion: "v1", kind: "Service", metadata: { name: "frontend", namespace: "shop" }, spec: { ports } }
        : undefined,
    slices: () => [
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name: "frontend-1", namespace: "shop" },
        addressType: "IPv4",
        ports: [{ port: 8080 }],
        endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: isReady } }],
      },
    ],
  });
}

describe("buildHost", () => {
  it("has the port and the ready addresses of the Service", () => {
    const host = build();

    assert.deepEqual([host?.port, host?.addresses, host?.protocol], [80, ["10.0.0.1:8080"], "http1"]);
    assert.deepEqual([host?.routingKey, host?.expiresAt], ["k3v9q2m7x1c4d", "2030-01-01T00:00:00Z"]);
  });

  it("keeps its version when only addresses change", () => {
    assert.equal(build()?.version, build({}, [{ port: 80 }], false)?.version);
    assert.deepEqual(build({}, [{ port: 80 }], false)?.addresses, []);
    assert.notEqual(build()?.version, build({ auth: "None" })?.version);
    assert.notEqual(build()?.version, build({ routingKey: "other-key-1" })?.version);
  });

  it("speaks HTTP/2 to gRPC targets and to ports of this protocol", () => {
    assert.equal(build({ target: "grpc://frontend.shop.svc:80" })?.protocol, "http2");
    assert.equal(build({}, [{ port: 80, appProtocol: "kubernetes.io/h2c" }])?.protocol, "http2");
  });

  it("uses the only port of the Service, or the one with the name of the scheme, for a target without a port", () => {
    const target = "http://frontend.shop.svc";
    const two: Ports = [
      { port: 90, name: "admin" },
      { port: 8081, name: "http" },
    ];

    assert.equal(build({ target }, [{ port: 81 }])?.port, 81);
    assert.equal(build({ target }, two)?.port, 8081);
    assert.equal(build({ target: "grpc://frontend.shop.svc" }, two), undefined);
  });

  it("has the authorities and the name of a target with TLS, and another version when they change", () => {
    const tls = { caBundle: "-----BEGIN CERTIFICATE-----\n", serverName: "frontend.shop.svc" };
    const secure = (change: object = {}) =>
      build({ target: "https://frontend.shop.svc:80", tls: { ...tls, ...change } });

    assert.deepEqual([secure()?.protocol, secure()?.tls], ["https", tls]);
    assert.notEqual(secure()?.version, secure({ serverName: "other.shop.svc" })?.version);
  });

  it("is absent without its Service or port, and for a target with TLS without authorities", () => {
    assert.equal(build({ target: "http://other.shop.svc:80" }), undefined);
    assert.equal(build({ target: "http://frontend.shop.svc:81" }), undefined);
    assert.equal(build({ target: "https://frontend.shop.svc:80" }), undefined);
  });
});

describe("HostClaims", () => {
  const hostOf = (uid: string): TableHost => ({
    host: endpoint.host,
    target: endpoint.target,
    auth: "Token",
    path: "/",
    owner: { kind: "Sandbox", namespace: "shop", name: uid, uid },
  });

  it("chooses one of two tables with the same host, and the other one when the first is gone", () => {
    const claims = new HostClaims();
    claims.set("shop/frontend", [hostOf("b")]);
    claims.set("shop/web", [hostOf("a")]);
    assert.equal(claims.winnerOf(endpoint.host)?.table, "shop/web");

    assert.deepEqual([...claims.set("shop/web", [])], [endpoint.host]);
    assert.equal(claims.winnerOf(endpoint.host)?.table, "shop/frontend");
    claims.set("shop/frontend", []);
    assert.equal(claims.winnerOf(endpoint.host), undefined);
    assert.equal(claims.hostsOf("shop/frontend").size, 0);
  });
});

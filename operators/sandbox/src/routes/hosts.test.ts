import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileHosts, type EndpointOwner, type EndpointView, parseTarget } from "./hosts.ts";

const domain = "preview.example.com";

function anEndpoint(name: string, fields: Partial<EndpointView> = {}): EndpointView {
  return { name, target: "http://frontend.shop.svc:8080", host: undefined, auth: "Token", path: "/", ...fields };
}

function anOwner(name: string, fields: Partial<EndpointOwner> = {}): EndpointOwner {
  const identity = { kind: "Sandbox" as const, namespace: "shop", name, uid: name, createdAt: "2026-01-01T00:00:00Z" };
  return { ...identity, routingKey: `key-${name}`, endpoints: [anEndpoint("web")], ...fields };
}

describe("compileHosts", () => {
  it("names hosts after endpoint and key, sorted", () => {
    const { hosts, unserved } = compileHosts([anOwner("b"), anOwner("a", { kind: "RouteGroup" })], domain);

    assert.deepEqual(
      hosts.map(({ host, routingKey, owner }) => `${host} ${routingKey} ${owner.kind}`),
      ["web--key-a.preview.example.com key-a RouteGroup", "web--key-b.preview.example.com key-b Sandbox"],
    );
    assert.deepEqual(hosts[0]?.target, { scheme: "http", service: "frontend", namespace: "shop", port: 8080 });
    assert.deepEqual(unserved, []);
  });

  it("shortens long labels and keeps them apart by a hash", () => {
    const long = "k".repeat(63);
    const owners = ["a", "b"].map((letter) => anOwner(letter, { routingKey: `${long.slice(1)}${letter}` }));
    const { hosts } = compileHosts(owners, domain);

    const labels = hosts.map(({ host }) => host.split(".")[0] ?? "");
    assert.equal(new Set(labels).size, 2);
    for (const label of labels) assert.match(label, /^web--k+-[0-9a-f]{8}$/);
    for (const label of labels) assert.equal(label.length, 63);
  });

  it("gives a host to the older of two objects", () => {
    const host = `shop.${domain}`;
    const young = anOwner("a", { createdAt: "2026-02-01T00:00:00Z", endpoints: [anEndpoint("web", { host })] });
    const old = anOwner("b", { endpoints: [anEndpoint("web", { host })] });
    const { hosts, unserved } = compileHosts([young, old], domain);

    assert.deepEqual(
      hosts.map(({ owner }) => owner.name),
      ["b"],
    );
    assert.deepEqual(
      unserved.map(({ owner, problem }) => `${owner.name} ${problem}`),
      ["a HostTaken"],
    );
  });

  const problems: readonly [problem: string, owner: EndpointOwner, domain: string][] = [
    ["NoPreviewDomain", anOwner("a"), ""],
    ["NoRoutingKey", anOwner("a", { routingKey: undefined }), domain],
    ["InvalidTarget", anOwner("a", { endpoints: [anEndpoint("web", { target: "http://10.0.0.1:80" })] }), domain],
    ["OutsideOfDomain", anOwner("a", { endpoints: [anEndpoint("web", { host: "shop.example.org" })] }), domain],
    ["OutsideOfDomain", anOwner("a", { endpoints: [anEndpoint("web", { host: `x${domain}` })] }), domain],
  ];
  for (const [problem, owner, each] of problems) {
    it(`reports ${problem} for ${owner.endpoints[0]?.host ?? owner.endpoints[0]?.target ?? ""} under ${JSON.stringify(each)}`, () => {
      const { hosts, unserved } = compileHosts([owner], each);

      assert.deepEqual(hosts, []);
      assert.deepEqual(
        unserved.map((one) => one.problem),
        [problem],
      );
    });
  }

  it("parses targets without a port and refuses others", () => {
    assert.deepEqual(parseTarget("grpc://cart.shop.svc"), {
      scheme: "grpc",
      service: "cart",
      namespace: "shop",
      port: undefined,
    });
    for (const target of [
      "ftp://cart.shop.svc",
      "http://cart.shop.svc/path",
      "http://cart.shop",
      "http://a@cart.shop.svc",
    ]) {
      assert.equal(parseTarget(target), undefined, target);
    }
  });
});

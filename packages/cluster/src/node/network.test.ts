import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError } from "@homeostat/core";
import { AddressRange, Network } from "./network.ts";

describe("the pod network", () => {
  const endpoint = {
    namespace: "default",
    name: "web-0",
    hostname: "web-0",
    subdomain: "web",
    ip: "10.0.0.2",
    labels: { app: "web" },
    isReady: true,
    ports: new Map([["http", 8080]]),
  };
  const network = new Network();
  network.setPod("u1", endpoint);
  network.setPod("u2", { ...endpoint, name: "web-1", hostname: "web-1", ip: "10.0.0.3", isReady: false });
  network.addDirectory({
    list: () => [
      {
        namespace: "default",
        name: "web",
        clusterIPs: ["10.96.0.9"],
        selector: { app: "web" },
        ports: [{ port: 80, targetPort: "http" }],
      },
      { namespace: "default", name: "pods", clusterIPs: [], selector: { app: "web" }, ports: [] },
    ],
  });
  const bound = network.bind("10.0.0.2", 8080, { host: "127.0.0.1", port: 40_000 });
  network.bind("10.0.0.3", 8080, { host: "127.0.0.1", port: 40_001 });

  it("resolves a pod by its address", () => {
    assert.deepEqual(network.addressOf("10.0.0.2", 8080), { host: "127.0.0.1", port: 40_000 });
    assert.equal(network.addressOf("10.0.0.2", 81), undefined);
  });

  it("resolves a Service to a ready pod, by its address and its names", () => {
    for (const host of ["10.96.0.9", "web", "web.default", "web.default.svc", "web.default.svc.cluster.local"])
      assert.equal(network.resolve(host, 80, "default")?.port, 40_000, host);
    assert.equal(network.resolve("web", 81, "default"), undefined);
    assert.equal(network.resolve("web", 80, "other"), undefined);
    assert.equal(network.resolve("web.default.pod", 80, "default"), undefined);
  });

  it("resolves one pod of a headless Service, ready or not", () => {
    assert.equal(network.resolve("web-1.pods.default.svc", 8080, "x")?.port, 40_001);
    assert.equal(network.resolve("pods", 8080, "default")?.port, 40_000);
  });

  it("resolves pods of a headless Service by address, and those that are not ready if the Service publishes them", () => {
    const own = new Network();
    own.setPod("u2", { ...endpoint, hostname: "web-1", ip: "10.0.0.3", isReady: false });
    own.bind("10.0.0.3", 8080, { host: "127.0.0.1", port: 40_001 });
    const service = { namespace: "default", clusterIPs: [], selector: { app: "web" }, ports: [] };
    own.addDirectory({
      list: () => [
        { ...service, name: "early", publishesNotReady: true },
        { ...service, name: "late" },
        { ...service, name: "alias", selector: undefined, externalName: "early.default.svc.cluster.local" },
      ],
    });

    assert.deepEqual(own.lookup("early", "default"), ["10.0.0.3"]);
    assert.deepEqual(own.lookup("late.default", "other"), []);
    assert.deepEqual(own.lookup("10-0-0-3.early", "default"), ["10.0.0.3"]);
    for (const host of ["early", "alias", "10-0-0-3.late", "10-0-0-3.default.pod.cluster.local", "web-1.late"])
      assert.equal(own.resolve(host, 8080, "default")?.port, 40_001, host);
    assert.equal(own.resolve("late", 8080, "default"), undefined);
    assert.equal(own.resolve("web-2.early", 8080, "default"), undefined);
  });

  it("resolves Services without a selector by their EndpointSlices", () => {
    const own = new Network();
    own.setPod("u1", { ...endpoint, hostname: "" });
    own.bind("10.0.0.2", 8080, { host: "127.0.0.1", port: 40_000 });
    own.bind("10.0.0.9", 8080, { host: "127.0.0.1", port: 40_009 });
    const service = { namespace: "default", selector: undefined };
    const ports = new Map([["http", 8080]]);
    const services = [
      { ...service, name: "brokers", clusterIPs: [], ports: [] },
      { ...service, name: "front", clusterIPs: ["10.96.0.7"], ports: [{ name: "http", port: 80, targetPort: 80 }] },
    ];
    own.addDirectory({
      list: () => services,
      endpoints: () => [
        { ip: "10.0.0.9", hostname: "b-9", isReady: false, ports },
        { ip: "10.0.0.2", hostname: "b-2", isReady: true, ports },
      ],
    });

    assert.deepEqual(own.lookup("brokers", "default"), ["10.0.0.2"]);
    assert.deepEqual(own.lookup("b-2.brokers.default.svc", "x"), ["10.0.0.2"]);
    assert.deepEqual(own.lookup("b-9.brokers.default.svc", "x"), []);
    assert.deepEqual(own.lookup("front", "default"), ["10.96.0.7"]);
    for (const [host, port] of [
      ["brokers", 8080],
      ["b-2.brokers", 8080],
      ["front", 80],
      ["10.96.0.7", 80],
    ] as const)
      assert.equal(own.resolve(host, port, "default")?.port, 40_000, host);
    const [brokers] = services;
    assert.deepEqual(
      brokers === undefined ? [] : own.podsOf(brokers).map(({ name, hostname, isReady }) => [name, hostname, isReady]),
      [
        ["b-9", "b-9", false],
        ["web-0", "b-2", true],
      ],
    );
  });

  it("removes a released port", () => {
    bound[Symbol.dispose]();

    assert.equal(network.addressOf("10.0.0.2", 8080), undefined);
  });

  it("allocates every address of a range once", () => {
    const range = new AddressRange("10.244.7.0/29");

    const taken = Array.from({ length: 6 }, () => range.take());

    assert.deepEqual(taken, ["10.244.7.2", "10.244.7.3", "10.244.7.4", "10.244.7.5", "10.244.7.6", undefined]);
    range.release("10.244.7.4");
    assert.equal(range.take(), "10.244.7.4");
    assert.equal(range.claim("10.244.7.4"), false);
    assert.throws(() => new AddressRange("10.0.0.0/33"), ArgumentError);
  });
});

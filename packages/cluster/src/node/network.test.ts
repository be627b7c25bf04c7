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

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { RouteTable } from "@homeostat/sandbox-operator";
import { buildTable, readyAddresses } from "./build-table.ts";

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "pr-1-cart", namespace: "shop" },
  spec: {
    ports: [
      { name: "http", port: 80 },
      { name: "grpc", port: 90 },
    ],
  },
};

function slice(change: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "a", namespace: "shop" },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [
      { addresses: ["10.0.0.2"], conditions: { ready: true } },
      { addresses: ["10.0.0.1"] },
      { addresses: ["10.0.0.3"], conditions: { ready: false } },
    ],
    ...change,
  };
}

describe("readyAddresses", () => {
  it("returns the ready addresses of the port with the same name, sorted", () => {
    assert.deepEqual(readyAddresses(80, service, [slice()]), ["10.0.0.1:8080", "10.0.0.2:8080"]);
    assert.deepEqual(readyAddresses(90, service, [slice()]), []);
    assert.deepEqual(readyAddresses(81, service, [slice()]), []);
    assert.deepEqual(readyAddresses(80, undefined, [slice()]), []);
  });

  it("writes IPv6 addresses in brackets", () => {
    const six = slice({ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] });
    assert.deepEqual(readyAddresses(80, service, [six]), ["[fd00::1]:8080"]);
  });
});

describe("buildTable", () => {
  const object = RouteTable.parse({
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "RouteTable",
    metadata: { name: "cart", namespace: "shop" },
    spec: {
      service: "cart",
      version: "v1",
      interception: "Takeover",
      ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
      entries: [
        {
          routingKey: "key-1",
          sandbox: "pr-1",
          workload: "cart",
          source: "Sandbox",
          ports: [{ port: 80, targetService: "pr-1-cart", targetPort: 80 }],
        },
      ],
    },
    status: { listenPorts: { "80": 21_007 }, conditions: [] },
  });

  it("adds listening ports and ready addresses", () => {
    const { table, problems } = buildTable({ object, service: () => service, slices: () => [slice()] });

    assert.deepEqual(problems, []);
    assert.deepEqual(table?.ports, [{ port: 80, listen: 21_007, baselineTarget: "cart--base.shop.svc:80" }]);
    assert.deepEqual(table?.entries[0]?.ports[0]?.addresses, ["10.0.0.1:8080", "10.0.0.2:8080"]);
  });

  it("says that no target is ready if the Service does not exist", () => {
    const { table } = buildTable({ object, service: () => undefined, slices: () => [] });

    assert.deepEqual(table?.entries[0]?.ports[0]?.addresses, []);
  });
});

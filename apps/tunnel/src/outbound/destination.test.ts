import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { LocalWorkload, type LocalWorkloadInput, SandboxPolicy } from "@homeostat/sandbox-operator";
import { type OutboundWorld, parseDestination, resolveDestination } from "./destination.ts";

const home = "shop";

describe("the destination of a stream", () => {
  it("is a Service, by its short and full names", () => {
    const orders = { service: "orders", namespace: home, port: 8080 };
    for (const text of [
      "orders:8080",
      "orders.shop:8080",
      "orders.shop.svc:8080",
      "ORDERS.shop.svc.cluster.local.:8080",
    ])
      assert.deepEqual(parseDestination(text, home), orders, text);
    assert.deepEqual(parseDestination("orders.bank:1", home), { service: "orders", namespace: "bank", port: 1 });
  });

  it("is never an address, in any notation, nor a name outside of the cluster", () => {
    for (const text of [
      "10.0.0.1:80",
      "127.1:80",
      "0x7f000001:80",
      "2130706433:80",
      "[::1]:80",
      "::1:80",
      "[::ffff:169.254.169.254]:80",
      "www.example.com:443",
      "a.b.c.d:80",
      "orders.shop.svc.:80.:80",
      "-a:80",
      "a_b:80",
      "*.shop:80",
      "orders/x:80",
      `${"a".repeat(64)}:80`,
    ]) {
      const parsed = parseDestination(text, home);
      assert.ok("code" in parsed && parsed.code === "denied", `${text}: ${JSON.stringify(parsed)}`);
    }
    for (const text of [
      "",
      "orders",
      ":80",
      "orders:",
      "orders:0",
      "orders:65536",
      "orders:+80",
      "orders: 80",
      "orders:8e1",
    ]) {
      const parsed = parseDestination(text, home);
      assert.ok("code" in parsed && parsed.code === "protocol", `${text}: ${JSON.stringify(parsed)}`);
    }
  });
});

describe("the addresses of a destination", () => {
  const workloadWith = (outbound: LocalWorkloadInput["spec"]["outbound"] = {}): LocalWorkload =>
    LocalWorkload.default({
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "LocalWorkload",
      metadata: { name: "jane", namespace: home },
      spec: {
        sandboxRef: { name: "pr" },
        service: { name: "cart", ports: [{ name: "http", containerPort: 8080 }] },
        outbound,
      },
    });
  const serviceWith = (spec: NonNullable<Service["spec"]>): Service => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: {},
    spec,
  });
  const sliceWith = (
    address: string,
    target: { kind: string; namespace: string } = { kind: "Pod", namespace: home },
  ): EndpointSlice => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {},
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true }, targetRef: target }],
    ports: [{ name: "web", port: 9000 }],
  });
  const plain = serviceWith({ ports: [{ name: "web", port: 80 }] });
  const resolve = (
    changes: Partial<OutboundWorld> & { readonly slice?: EndpointSlice; readonly api?: string } = {},
    target = { service: "orders", namespace: home, port: 80 },
  ): string => {
    const { slice = sliceWith("10.1.1.1"), api = "10.0.0.1" } = changes;
    const result = resolveDestination(target, {
      workload: workloadWith(),
      policies: [],
      service: () => plain,
      slices: (key) => (key === "default/kubernetes" ? [sliceWith(api)] : [slice]),
      isNode: (address) => address === "10.9.9.9",
      ownNamespace: "sandboxes",
      ...changes,
    });
    return "code" in result
      ? `${result.code}: ${result.why}`
      : result.addresses.map(({ host, port }) => `${host} ${port}`).join();
  };

  it("are those of ready pods", () => {
    assert.equal(resolve(), "10.1.1.1 9000");
    assert.equal(resolve({ slice: sliceWith("fd12::1") }), "fd12::1 9000");
    assert.match(resolve({ slice: { ...sliceWith("10.1.1.1"), endpoints: [] } }), /^refused: .*no ready pods/);
  });

  it("are never those of nodes, of the API server, of metadata services, or of this machine", () => {
    for (const address of [
      "10.9.9.9",
      "10.0.0.1",
      "169.254.169.254",
      "127.0.0.1",
      "0.0.0.0",
      "224.0.0.1",
      "255.255.255.255",
      "::1",
      "fe80::1",
      "fd00:ec2::254",
      "::ffff:10.1.1.1",
    ])
      assert.match(resolve({ slice: sliceWith(address) }), /^denied: /, address);
    assert.match(resolve({ slice: sliceWith("10.1.1.1", { kind: "Node", namespace: "" }) }), /^refused: /);
    assert.match(resolve({ slice: sliceWith("10.1.1.1", { kind: "Pod", namespace: "sandboxes" }) }), /^refused: /);
  });

  it("are those of Services that LocalWorkload and policies allow", () => {
    const bank = { service: "ledger", namespace: "bank", port: 80 };
    const policy = (outboundAllow: string[]): SandboxPolicy =>
      SandboxPolicy.default({
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "SandboxPolicy",
        metadata: { name: "p", namespace: home },
        spec: { outboundAllow },
      });
    assert.match(resolve({}, bank), /^denied: /);
    assert.match(resolve({ workload: workloadWith({ allow: ["ledger.bank"] }) }, bank), /^denied: /);
    assert.match(resolve({ policies: [policy(["ledger.bank"])] }, bank), /^denied: /);
    assert.equal(
      resolve({ workload: workloadWith({ allow: ["ledger.bank"] }), policies: [policy(["ledger.bank"])] }, bank),
      "10.1.1.1 9000",
    );
    assert.match(resolve({ workload: workloadWith({ enabled: false }) }), /^denied: /);
  });

  it("are never those of the cluster itself, of names outside of it, or of unknown Services and ports", () => {
    for (const [service, namespace] of [
      ["kubernetes", "default"],
      ["sandbox-tunnel", "sandbox-system"],
      ["sandbox-tunnel", "sandboxes"],
    ] as const)
      assert.match(
        resolve({ workload: workloadWith({ allow: ["*.*"] }) }, { service, namespace, port: 80 }),
        /^denied: Services of the cluster itself/,
      );
    assert.match(
      resolve({ service: () => serviceWith({ type: "ExternalName", externalName: "example.com" }) }),
      /^denied: the Service leads to a name outside/,
    );
    assert.match(resolve({ service: () => undefined }), /^dns: /);
    assert.match(resolve({}, { service: "orders", namespace: home, port: 81 }), /^refused: .*no TCP port/);
  });
});

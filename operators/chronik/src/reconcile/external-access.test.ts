import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly } from "homeostat";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { NodesByName } from "../observe/nodes.ts";
import { member } from "../testing/observed-clusters.ts";
import { addressesOf } from "./external-access.ts";

const on = (ordinal: number, node: string | undefined, hostIP?: string) => ({
  ...member("ingest", ordinal),
  node,
  hostIP,
});
const service = (spec: Service["spec"], status: Service["status"] = {}): DeepReadonly<Service> => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "c-ingest-bootstrap" },
  spec: spec ?? {},
  status,
});
const nodePort = service({ type: "NodePort", ports: [{ port: 9092, nodePort: 31_234 }] });
const members = [on(0, "n1", "10.0.0.1"), on(1, "n2", "10.0.0.2"), on(2, "n1", "10.0.0.1")];
const none: NodesByName = new Map();

describe("the external addresses of a Service", () => {
  it("of type NodePort are those of the nodes of its pods with the node port, each once", () => {
    assert.deepEqual(addressesOf(nodePort, { members, nodes: none }), ["10.0.0.1:31234", "10.0.0.2:31234"]);
  });

  it("of type NodePort prefer the external addresses of nodes, if these are known", () => {
    const nodes: NodesByName = new Map([
      ["n1", { zone: "a", address: "203.0.113.1" }],
      ["n2", { zone: "b", address: undefined }],
    ]);

    assert.deepEqual(addressesOf(nodePort, { members, nodes }), ["203.0.113.1:31234", "10.0.0.2:31234"]);
  });

  it("of type NodePort are unknown until a pod has a node and the port is assigned", () => {
    const unassigned = service({ type: "NodePort", ports: [{ port: 9092 }] });

    assert.deepEqual(addressesOf(nodePort, { members: [on(0, undefined)], nodes: none }), []);
    assert.deepEqual(addressesOf(unassigned, { members, nodes: none }), []);
    assert.deepEqual(addressesOf(undefined, { members, nodes: none }), []);
  });

  it("of type LoadBalancer are those of the load balancer", () => {
    const ingress = [{ ip: "203.0.113.7" }, { hostname: "lb.example.com", ip: "203.0.113.8" }, { ip: "2001:db8::1" }];
    const balanced = service(
      { type: "LoadBalancer", ports: [{ port: 9092, nodePort: 31_234 }] },
      { loadBalancer: { ingress } },
    );

    assert.deepEqual(addressesOf(balanced, { members, nodes: none }), [
      "203.0.113.7:9092",
      "lb.example.com:9092",
      "[2001:db8::1]:9092",
    ]);
  });

  it("of type ClusterIP do not exist", () => {
    assert.deepEqual(
      addressesOf(service({ type: "ClusterIP", ports: [{ port: 9092 }] }), { members, nodes: none }),
      [],
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freeSlot, nodeLayout, nodeLayouts, nodesMax, slotCount } from "./layout.ts";
import { nodeFiles, reachableNameServers } from "../nodes/node-config.ts";

describe("freeSlot", () => {
  it("returns the first slot that no cluster uses", () => {
    assert.equal(freeSlot(new Set(), []), 0);
    assert.equal(freeSlot(new Set([0, 1, 3]), []), 2);
  });

  it("avoids the routes of this machine", () => {
    assert.equal(freeSlot(new Set(), ["10.200.5.0/24", "10.201.0.0/16", "10.202.255.255"]), 3);
  });

  it("ignores routes that are wider than its own ranges, and invalid ones", () => {
    assert.equal(freeSlot(new Set(), ["default", "0.0.0.0/0", "10.0.0.0/8", "", "fe80::/64", "192.0.2.0/24"]), 0);
  });

  it("returns nothing if all slots are in use", () => {
    assert.equal(freeSlot(new Set(Array.from({ length: slotCount }, (_, slot) => slot)), []), undefined);
  });
});

describe("nodeLayout", () => {
  it("gives every slot its own addresses and a valid interface name", () => {
    const layouts = Array.from({ length: slotCount }, (_, slot) => nodeLayout(slot));

    assert.equal(new Set(layouts.map(({ range }) => range)).size, slotCount);
    assert.ok(layouts.every(({ hostLink }) => hostLink.length <= 15));
    assert.ok(layouts.every(({ nodePods, pods }) => nodePods.split(".")[2] === pods.split(".")[2]));
  });

  it("gives every node of a cluster its own name, link and pods", () => {
    const layouts = nodeLayouts({ slot: 31, nodes: nodesMax });

    for (const key of ["name", "suffix", "hostLink", "hostAddress", "nodeAddress", "nodePods"] as const)
      assert.equal(new Set(layouts.map((one) => one[key])).size, nodesMax, key);
    for (const key of ["advertised", "services", "pods", "range"] as const)
      assert.equal(new Set(layouts.map((one) => one[key])).size, 1, key);
    assert.ok(layouts.every(({ hostLink }) => hostLink.length <= 15));
  });

  it("has no addresses for a cluster without a node", () => {
    assert.deepEqual(nodeLayouts({}), []);
  });
});

describe("the configuration of a node", () => {
  const settings = {
    folder: "/c/x y",
    layout: nodeLayout(4),
    cgroupRoot: "/g",
    snapshotter: "native" as const,
    nameServers: ["192.0.2.53"],
  };

  it("uses the addresses of its slot", () => {
    const files = nodeFiles(settings);

    assert.match(files.get("kubelet.yaml") ?? "", /^clusterDNS: \[10\.204\.0\.2\]$/m);
    assert.match(files.get("kube-proxy.yaml") ?? "", /^clusterCIDR: 10\.204\.128\.0\/17$/m);
    assert.match(files.get("cni/10-pods.conflist") ?? "", /"subnet": "10\.204\.128\.0\/24"/);
    assert.match(files.get("containerd.toml") ?? "", /root = "\/c\/x y\/node1\/containerd"/);
  });

  it("has folders, addresses and a certificate of its own for each node", () => {
    const files = nodeFiles({ ...settings, layout: nodeLayout(4, 2) });

    assert.match(files.get("kubelet.yaml") ?? "", /^clusterDNS: \[10\.204\.0\.6\]$/m);
    assert.match(files.get("kubelet.yaml") ?? "", /^tlsCertFile: "\/c\/x y\/pki\/kubelet-2\.crt"$/m);
    assert.match(files.get("cni/10-pods.conflist") ?? "", /"subnet": "10\.204\.129\.0\/24"/);
    assert.match(files.get("containerd.toml") ?? "", /root = "\/c\/x y\/node2\/containerd"/);
  });

  it("forwards to other name servers only if there are some", () => {
    assert.match(nodeFiles(settings).get("Corefile") ?? "", /forward \. "\/c\/x y\/node1\/resolv\.conf"/);
    assert.doesNotMatch(nodeFiles({ ...settings, nameServers: [] }).get("Corefile") ?? "", /forward/);
  });

  it("leaves out name servers on the loopback of this machine", () => {
    const text =
      "# nameserver 192.0.2.1\nnameserver 127.0.0.53\nnameserver  192.0.2.2 \nnameserver ::1\nsearch x\nnameserver 2001:db8::1";

    assert.deepEqual(reachableNameServers(text), ["192.0.2.2", "2001:db8::1"]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import fc from "fast-check";
import { AssignedPods, NodeUsage } from "./node-usage.ts";
import { UnschedulablePods } from "./unschedulable-pods.ts";

function podWith(cpu: number, { hostPort, zone = "" }: { hostPort?: number; zone?: string } = {}): Pod {
  const ports = hostPort === undefined ? {} : { ports: [{ containerPort: 80, hostPort }] };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: {
      ...(zone === "" ? {} : { nodeSelector: { zone } }),
      containers: [{ name: "a", image: "x", resources: { requests: { cpu: `${cpu}m` } }, ...ports }],
    },
  };
}

function shown(usage: NodeUsage): unknown {
  const ports = [...usage.ports].map(({ port }) => port).toSorted((a, b) => a - b);
  return { count: usage.podCount, cpu: usage.requests.get("cpu") ?? 0n, ports };
}

describe("AssignedPods", () => {
  it("has the same usage as a sum over all pods, after any changes", () => {
    const step = fc.record({
      uid: fc.nat(9),
      node: fc.constantFrom("a", "b"),
      cpu: fc.nat(500),
      hostPort: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      isGone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const assigned = new AssignedPods();
        const model = new Map<string, { readonly node: string; readonly pod: Pod }>();

        for (const { uid, node, cpu, hostPort, isGone } of steps) {
          const pod = podWith(cpu, hostPort === undefined ? {} : { hostPort });
          if (isGone) assigned.delete(String(uid));
          else assigned.set(String(uid), node, pod);
          if (isGone) model.delete(String(uid));
          else model.set(String(uid), { node, pod });
        }

        for (const node of ["a", "b"]) {
          const pods = [...model.values()].filter((each) => each.node === node).map(({ pod }) => pod);
          assert.deepEqual(shown(assigned.usageOf(node)), shown(NodeUsage.of(pods)));
        }
        for (let uid = 0; uid < 10; uid += 1) assert.equal(assigned.has(String(uid)), model.has(String(uid)));
      }),
    );
  });
});

describe("UnschedulablePods", () => {
  it("returns one pod for each set of requirements, however many pods wait", () => {
    const pods = new UnschedulablePods();
    for (let n = 0; n < 1000; n += 1) pods.add(`small-${n}`, podWith(100));
    for (let n = 0; n < 1000; n += 1) pods.add(`large-${n}`, podWith(900));
    pods.add("zoned", podWith(100, { zone: "z" }));
    pods.add("port", podWith(100, { hostPort: 80 }));
    let asked = 0;

    const firsts = pods.firsts(() => (asked += 1) > 0);

    assert.deepEqual(firsts, ["small-0", "large-0", "zoned", "port"]);
    assert.equal(asked, 4);
  });

  it("returns the next pod of a group when the first is bound, deleted or changed", () => {
    const pods = new UnschedulablePods();
    const deleted = new Set(["b"]);
    for (const key of ["a", "b", "c", "d"]) pods.add(key, podWith(100));
    const next = (): readonly string[] => pods.firsts((key) => !deleted.has(key));

    const before = next();
    pods.delete("a");
    const assigned = next();
    pods.add("c", podWith(200));
    const changed = next();
    pods.delete("c");
    pods.delete("d");

    assert.deepEqual([before, assigned, changed, next()], [["a"], ["c"], ["d", "c"], []]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import fc from "fast-check";
import { addressTypes, endpointKey, desiredEndpoints } from "./endpoints.ts";
import { sliceChanges, sliceLabels } from "./slices.ts";
import { triggersOf, triggerTime } from "./trigger-times.ts";

function service(spec: Service["spec"] = {}, metadata: KubeObject["metadata"] = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop", uid: "service", ...metadata },
    spec: { clusterIP: "10.0.0.1", ports: [{ port: 80, targetPort: 8080 }], ...spec },
  };
}

function pod(
  name: string,
  { isReady = true, ...more }: Partial<Omit<Pod, "spec">> & { spec?: Partial<Pod["spec"]>; isReady?: boolean } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", uid: `uid-${name}`, ...more.metadata },
    spec: { containers: [], nodeName: "node", ...more.spec },
    status: {
      phase: "Running",
      podIP: "10.1.0.1",
      podIPs: [{ ip: "10.1.0.1" }],
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:05Z" }],
      ...more.status,
    },
  };
}

const family = { type: "IPv4", labelsOf: (name: string) => (name === "node" ? {} : undefined) } as const;

describe("the endpoints of a Service", () => {
  it("are its pods with their conditions", () => {
    const pods = [
      pod("a"),
      pod("b", { isReady: false }),
      pod("c", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      pod("d", { status: { phase: "Succeeded", podIPs: [{ ip: "10.1.0.2" }] } }),
      pod("e", { status: { podIP: "", podIPs: [] } }),
    ];

    const { groups } = desiredEndpoints(service(), pods, family);

    assert.equal(groups.length, 1);
    assert.deepEqual(groups[0]?.ports, [{ name: "", port: 8080, protocol: "TCP" }]);
    assert.deepEqual(
      groups[0]?.endpoints.map(({ targetRef, conditions }) => [targetRef?.name, conditions]),
      [
        ["a", { ready: true, serving: true, terminating: false }],
        ["b", { ready: false, serving: false, terminating: false }],
        ["c", { ready: false, serving: true, terminating: true }],
      ],
    );
  });

  it("are ready at once with publishNotReadyAddresses", () => {
    const { groups } = desiredEndpoints(
      service({ publishNotReadyAddresses: true }),
      [pod("a", { isReady: false })],
      family,
    );

    assert.deepEqual(groups[0]?.endpoints[0]?.conditions, { ready: true, serving: false, terminating: false });
  });

  it("are grouped by the numbers that named ports resolve to", () => {
    const named = (containerPort: number): Partial<Pod["spec"]> => ({
      containers: [{ name: "c", ports: [{ name: "http", containerPort }] }],
    });
    const pods = [
      pod("a", { spec: named(80) }),
      pod("b", { spec: named(81) }),
      pod("c", { spec: named(80) }),
      pod("d"),
    ];
    const ports = [{ name: "web", port: 80, targetPort: "http" }];

    const { groups } = desiredEndpoints(service({ ports }), pods, family);

    assert.deepEqual(
      groups.map(({ ports: [first], endpoints }) => [first?.port, endpoints.map(({ targetRef }) => targetRef?.name)]),
      [
        [80, ["a", "c"]],
        [81, ["b"]],
        [undefined, ["d"]],
      ],
    );
  });

  it("have a hostname when their pod has one in the subdomain of the Service", () => {
    const spec = { hostname: "web-0", subdomain: "web" };

    const { groups } = desiredEndpoints(
      service(),
      [pod("a", { spec }), pod("b", { spec: { ...spec, subdomain: "x" } })],
      family,
    );

    assert.deepEqual(
      groups[0]?.endpoints.map(({ hostname }) => hostname),
      ["web-0", undefined],
    );
  });

  it("skip pods whose node does not exist", () => {
    const { groups, skipped } = desiredEndpoints(service(), [pod("a", { spec: { nodeName: "gone" } })], family);

    assert.deepEqual(groups[0]?.endpoints, []);
    assert.deepEqual(skipped, [{ pod: "a", node: "gone" }]);
  });

  it("have the IP families of the Service", () => {
    assert.deepEqual(addressTypes(service({ ipFamilies: ["IPv6", "IPv4"] })), ["IPv6", "IPv4"]);
    assert.deepEqual(addressTypes(service({ clusterIP: "fd00::1" })), ["IPv6"]);
    assert.deepEqual(addressTypes(service({ clusterIP: "None" })), ["IPv4"]);
  });
});

describe("the slices of a Service", () => {
  it("have its labels and the managed-by label", () => {
    const labels = { app: "web", "kubernetes.io/service-name": "forged" };

    assert.deepEqual(sliceLabels(service({ clusterIP: "None" }, { name: "web", labels })), {
      app: "web",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      "service.kubernetes.io/headless": "",
    });
  });

  it("consist of one empty slice without endpoints, which is not written again", () => {
    const first = sliceChanges(service(), [], { type: "IPv4", groups: [] });
    const [made] = first.create;
    assert.ok(made !== undefined);

    const second = sliceChanges(service(), [made], { type: "IPv4", groups: [] });

    assert.equal(first.create.length, 1);
    assert.deepEqual([made.endpoints, made.ports, made.metadata.generateName], [[], [], "web-"]);
    assert.deepEqual(second, { create: [], update: [], delete: [] });
  });

  it("reuse a slice that would be deleted", () => {
    const [empty] = sliceChanges(service(), [], { type: "IPv4", groups: [] }).create;
    assert.ok(empty !== undefined);
    const existing = { ...empty, metadata: { ...empty.metadata, name: "web-x" } };

    const { groups } = desiredEndpoints(service(), [pod("a")], family);
    const changes = sliceChanges(service(), [existing], { type: "IPv4", groups });

    assert.deepEqual([changes.create.length, changes.delete.length], [0, 0]);
    assert.deepEqual(
      changes.update.map(({ metadata, endpoints }) => [metadata.name, endpoints?.length]),
      [["web-x", 1]],
    );
  });

  it("are deleted when they belong to an earlier Service of the same name", () => {
    const { groups } = desiredEndpoints(service(), [pod("a")], family);
    const [old] = sliceChanges(service({}, { uid: "before" }), [], { type: "IPv4", groups }).create;
    assert.ok(old !== undefined);

    const changes = sliceChanges(service(), [old], { type: "IPv4", groups: [] });

    assert.deepEqual([changes.create.length, changes.update.length, changes.delete.length], [1, 0, 1]);
  });

  it("hold every endpoint once and at most a hundred each, and are stable after one update", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 260 });
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 4 }), (steps) => {
        let slices: readonly DeepReadonly<EndpointSlice>[] = [];
        let made = 0;
        for (const step of steps) {
          const pods = step.map((number) => pod(`p${number}`));
          const { groups } = desiredEndpoints(service(), pods, family);
          const changes = sliceChanges(service(), slices, { type: "IPv4", groups });
          const gone = new Set([...changes.delete, ...changes.update].map(({ metadata }) => metadata.name));
          const created = changes.create.map((slice) => ({
            ...slice,
            metadata: { ...slice.metadata, name: `web-${made++}` },
          }));
          slices = [...slices.filter(({ metadata }) => !gone.has(metadata.name)), ...changes.update, ...created];

          const all = slices.flatMap(({ endpoints = [] }) => endpoints.map(endpointKey));
          assert.deepEqual(new Set(all), new Set(groups.flatMap(({ endpoints }) => endpoints.map(endpointKey))));
          assert.equal(new Set(all).size, all.length);
          assert.ok(slices.length > 0 && slices.every(({ endpoints = [] }) => endpoints.length <= 100));
          assert.deepEqual(sliceChanges(service(), slices, { type: "IPv4", groups }), {
            create: [],
            update: [],
            delete: [],
          });
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("the trigger time", () => {
  const made = service({}, { creationTimestamp: "2026-01-01T00:00:00Z" });

  it("is that of the Service first, then the earliest new time", () => {
    const before = triggersOf(made, [pod("a")]);
    const after = triggersOf(made, [pod("a"), pod("b")]);

    assert.equal(triggerTime(undefined, before), Date.UTC(2026, 0, 1));
    assert.equal(triggerTime(before, before), undefined);
    assert.equal(triggerTime(before, after), Date.UTC(2026, 0, 1, 0, 0, 5));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differences } from "./differences.ts";
import { repairOf } from "./repair.ts";

const named = (wanted: object, live: object): readonly string[] =>
  differences(wanted, live).map((steps) =>
    steps.map((step) => (typeof step === "string" ? step : JSON.stringify(step))).join("."),
  );

describe("what differs from what is wanted", () => {
  const same: readonly (readonly [string, object, object])[] = [
    ["fields of others", { spec: { a: 1 } }, { spec: { a: 1, b: 2 }, status: {} }],
    [
      "a quantity in other words",
      { resources: { limits: { cpu: "500m", memory: "1Gi" } } },
      { resources: { limits: { cpu: "0.5", memory: "1024Mi" } } },
    ],
    ["a number for a quantity", { spec: { hard: { pods: "50" } } }, { spec: { hard: { pods: 50 } } }],
    ["what is empty and left out", { spec: { ingress: [], podSelector: {} } }, { spec: {} }],
    [
      "elements that others add to a list with keys",
      { containers: [{ name: "a", image: "i" }] },
      { containers: [{ name: "sidecar" }, { name: "a", image: "i", ports: [] }] },
    ],
    [
      "a protocol that is filled in",
      { ports: [{ containerPort: 80 }] },
      { ports: [{ containerPort: 80, protocol: "TCP" }] },
    ],
    [
      "the claims of a StatefulSet, which nobody can change",
      { volumeClaimTemplates: [{ a: 1 }] },
      { volumeClaimTemplates: [{ a: 2 }] },
    ],
    [
      "quantities in a list without keys",
      { limits: [{ default: { cpu: "1" } }] },
      { limits: [{ default: { cpu: "1000m" } }] },
    ],
    [
      "an empty list in an element",
      { ingress: [{ from: [{ podSelector: {} }] }] },
      { ingress: [{ from: [{ podSelector: {} }], ports: [] }] },
    ],
  ];
  for (const [title, wanted, live] of same) {
    it(`is not ${title}`, () => {
      assert.deepEqual(named(wanted, live), []);
    });
  }

  const other: readonly (readonly [string, object, object, string])[] = [
    ["a leaf", { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, "spec.replicas"],
    ["a leaf that is missing", { data: { a: "x" } }, { data: {} }, "data.a"],
    ["a text that only looks like an equal quantity", { data: { a: "1000m" } }, { data: { a: "1" } }, "data.a"],
    [
      "an annotation that looks like one",
      { metadata: { annotations: { limits: "1" } } },
      { metadata: { annotations: { limits: "1.0" } } },
      "metadata.annotations.limits",
    ],
    [
      "an element that is missing",
      { env: [{ name: "A", value: "1" }] },
      { env: [{ name: "B" }] },
      'env.{"key":"name","value":"A"}',
    ],
    [
      "a field of an element",
      { env: [{ name: "A", value: "1" }] },
      { env: [{ name: "A", value: "2" }] },
      'env.{"key":"name","value":"A"}.value',
    ],
    ["a rule that somebody adds to nothing", { spec: { ingress: [] } }, { spec: { ingress: [{}] } }, "spec.ingress"],
    [
      "a rule that becomes wider",
      { ingress: [{ from: [{ podSelector: { matchLabels: { a: "b" } } }] }] },
      { ingress: [{ from: [{ podSelector: { matchLabels: { a: "b" } }, namespaceSelector: {} }] }] },
      "ingress",
    ],
    [
      "a selector of everything that becomes narrow",
      { spec: { podSelector: {} } },
      { spec: { podSelector: { matchLabels: { a: "b" } } } },
      "spec.podSelector",
    ],
    [
      "one label more in a selector",
      { spec: { selector: { app: "redis" } } },
      { spec: { selector: { app: "redis", extra: "x" } } },
      "spec.selector",
    ],
    ["the order of a list without keys", { args: ["a", "b"] }, { args: ["b", "a"] }, "args"],
    [
      "one element more in a list without keys",
      { policyTypes: ["Ingress"] },
      { policyTypes: ["Ingress", "Egress"] },
      "policyTypes",
    ],
    [
      "another protocol",
      { ports: [{ port: 53, protocol: "UDP" }] },
      { ports: [{ port: 53, protocol: "TCP" }] },
      'ports.{"key":"port","value":"53"}',
    ],
  ];
  for (const [title, wanted, live, path] of other) {
    it(`is ${title}`, () => {
      assert.deepEqual(named(wanted, live), [path]);
    });
  }

  it("is never found in what is inherited", () => {
    assert.deepEqual(named({ labels: { constructor: "x" } }, { labels: {} }), ["labels.constructor"]);
    assert.deepEqual(named(JSON.parse('{"labels":{"__proto__":"x"}}'), { labels: {} }), ["labels.__proto__"]);
  });
});

describe("a repair by a merge patch", () => {
  it("says what differs, and lists whole", () => {
    const wanted = {
      metadata: { labels: { a: "1", b: "2" } },
      spec: { ports: [{ port: 1, name: "x" }], type: "ClusterIP" },
    };
    const live = {
      metadata: { labels: { a: "1", b: "3" } },
      spec: { ports: [{ port: 2, name: "x" }], type: "ClusterIP" },
    };

    assert.deepEqual(repairOf(wanted, differences(wanted, live)), {
      metadata: { labels: { b: "2" } },
      spec: { ports: [{ port: 1, name: "x" }] },
    });
  });
});

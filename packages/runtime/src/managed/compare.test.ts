import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { differences, pathOf } from "./compare.ts";

const found = (desired: object, live: object, ignore?: readonly string[]): readonly string[] =>
  differences(desired, live, { ignore }).map((difference) =>
    difference
      .map((step) =>
        typeof step === "string" ? step : "key" in step ? `[${step.key}=${step.value}]` : `[${step.index}]`,
      )
      .join("/"),
  );

describe("differences", () => {
  it("returns the path of every desired leaf that the live object lacks", () => {
    const desired = { metadata: { labels: { a: "1", b: "2" } }, spec: { replicas: 3, paused: false } };
    const live = { metadata: { labels: { a: "1", c: "3" }, uid: "u" }, spec: { replicas: 2 }, status: {} };

    assert.deepEqual(found(desired, live), ["metadata/labels/b", "spec/replicas", "spec/paused"]);
  });

  it("compares elements of merged lists by key, and other lists as a whole", () => {
    const container = (name: string, image: string, args: readonly string[]) => ({ name, image, args });
    const desired = {
      spec: { containers: [container("a", "x", ["1"]), container("b", "y", []), container("c", "z", [])] },
    };
    const live = { spec: { containers: [container("b", "y", ["2"]), container("a", "old", ["1", "2"])] } };

    assert.deepEqual(found(desired, live), [
      "spec/containers/[name=a]/image",
      "spec/containers/[name=a]/args",
      "spec/containers/[name=b]/args",
      "spec/containers/[name=c]",
    ]);
  });

  const ignored: readonly [string, string, readonly string[]][] = [
    ["a field", "spec.clusterIP", ["metadata/annotations/a.example/b", "spec/ports/[port=1]/name", "spec/selector"]],
    ["a map with all fields below it", "spec", ["metadata/annotations/a.example/b"]],
    [
      "a key that contains dots",
      "metadata.annotations.a.example/b",
      ["spec/clusterIP", "spec/ports/[port=1]/name", "spec/selector"],
    ],
    ["a list with its elements", "spec.ports", ["metadata/annotations/a.example/b", "spec/clusterIP", "spec/selector"]],
    [
      "nothing if only the start of the name is the same",
      "spec.cluster",
      ["metadata/annotations/a.example/b", "spec/clusterIP", "spec/ports/[port=1]/name", "spec/selector"],
    ],
  ];
  for (const [what, path, expected] of ignored) {
    it(`ignores ${what}`, () => {
      const desired = {
        metadata: { annotations: { "a.example/b": "1" } },
        spec: { clusterIP: "None", ports: [{ port: 1, name: "a" }], selector: { a: "1" } },
      };
      const live = {
        metadata: { annotations: { "a.example/b": "2" } },
        spec: { clusterIP: "10.0.0.1", ports: [{ port: 1, name: "b" }], selector: { a: "1", b: "2" } },
      };

      assert.deepEqual(found(desired, live, [path]), expected);
    });
  }

  it("reports at most 20 differences", () => {
    const data = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, "1"]));
    const env = Array.from({ length: 30 }, (_, index) => ({ name: `V${index}`, value: "1" }));

    assert.equal(found({ data }, { data: {} }).length, 20);
    assert.equal(found({ env }, { env: [] }).length, 20);
  });

  it("compares quantities by value, but not where they are text", () => {
    const desired = { spec: { requests: { cpu: "1000m" } }, metadata: { labels: { cpu: "1000m" } } };
    const live = { spec: { requests: { cpu: "1" } }, metadata: { labels: { cpu: "1" } } };

    assert.deepEqual(found(desired, live), ["metadata/labels/cpu"]);
  });

  it("finds nothing in equal objects, and exactly the ignored paths disappear", () => {
    const leaf = fc.oneof(fc.constantFrom("a", "b", "1"), fc.integer({ min: 0, max: 2 }), fc.boolean());
    const tree = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.dictionary(fc.constantFrom("spec", "volumes", "a.b", "selector", "env"), tie("node"), { maxKeys: 4 }),
        // The API server accepts each merge key once.
        fc.uniqueArray(fc.record({ name: fc.constantFrom("x", "y"), port: leaf }), {
          maxLength: 2,
          selector: ({ name }) => name,
        }),
      ),
    })).node;
    const object = fc.dictionary(fc.constantFrom("spec", "volumes", "a.b", "selector", "env"), tree, { maxKeys: 4 });
    fc.assert(
      fc.property(object, object, (desired, live) => {
        assert.deepEqual(differences(desired, structuredClone(desired)), []);
        const all = differences(desired, live);
        if (all.length >= 20) return;
        for (const ignore of new Set(all.map(pathOf))) {
          const left = all.filter((one) => pathOf(one) !== ignore && !pathOf(one).startsWith(`${ignore}.`));
          assert.deepEqual(differences(desired, live, { ignore: [ignore] }), left);
        }
      }),
      { numRuns: 500, seed: 20_261_118 },
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printedDifference } from "./printed-difference.ts";
import { printedAs } from "./printed.ts";
import { unifiedDiff } from "./unified-diff.ts";

describe("values as the real server prints its own types", () => {
  it("have every field, by its name in Go and in Go's order", () => {
    const printed = printedAs("PodDisruptionBudgetSpec", { maxUnavailable: "50%", minAvailable: 1 });

    assert.equal(
      JSON.stringify(printed),
      '{"MinAvailable":1,"Selector":null,"MaxUnavailable":"50%","UnhealthyPodEvictionPolicy":null}',
    );
  });

  it("take in what the versions have elsewhere, and sort maps", () => {
    const printed = printedAs("PodSpec", { hostNetwork: true, securityContext: {}, nodeSelector: { b: "1", a: "2" } });

    const text = JSON.stringify(printed);

    assert.match(text, /"NodeSelector":\{"a":"2","b":"1"\}/);
    assert.match(text, /"SecurityContext":\{"HostNetwork":true,"HostPID":false/);
    assert.match(text, /^\{"Volumes":null,"InitContainers":null,"Containers":null/);
  });

  it("differ with three lines around each place", () => {
    const difference = printedDifference({ a: 1, b: 2, c: "<" }, { a: 1, b: 3, c: "<" });

    assert.equal(difference, '@@ -1,5 +1,5 @@\n {\n  "a": 1,\n- "b": 2,\n+ "b": 3,\n  "c": "\\u003c"\n }\n');
    assert.equal(printedDifference({ a: 1 }, { a: 1 }), "");
  });
});

describe("a unified difference", () => {
  const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

  it("shows places that are far from each other apart, and near ones together", () => {
    const a = lines(40);
    const b = a.with(5, "x").with(8, "y").with(30, "z");

    const heads = unifiedDiff(a, b)
      .split("\n")
      .filter((line) => line.startsWith("@@"));

    assert.deepEqual(heads, ["@@ -3,10 +3,10 @@", "@@ -28,7 +28,7 @@"]);
  });

  it("counts what was only added or only taken away", () => {
    assert.equal(unifiedDiff([], ["a"]), "@@ -0,0 +1 @@\n+a\n");
    assert.equal(unifiedDiff(["a", "b"], ["b"]), "@@ -1,2 +1 @@\n-a\n b\n");
  });

  it("gives both texts back", () => {
    for (let seed = 1; seed < 200; seed += 1) {
      let state = seed;
      const word = (): string => String((state = (state * 48_271) % 2_147_483_647) % 7);
      const [a, b] = [Array.from({ length: seed }, word), Array.from({ length: 200 - seed }, word)];

      const body = unifiedDiff(a, b).split("\n");

      const removed = body.filter((line) => line.startsWith("-")).length;
      const added = body.filter((line) => line.startsWith("+")).length;
      assert.equal(a.length - removed, b.length - added);
    }
  });
});

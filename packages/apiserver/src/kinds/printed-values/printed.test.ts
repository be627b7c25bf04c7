import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printedDifference } from "./printed-difference.ts";
import { printedAs } from "./printed.ts";
import { unifiedDiff } from "./unified-diff.ts";

describe("printedAs", () => {
  it("prints every field under its Go name, in the order of the Go struct", () => {
    const printed = printedAs("PodDisruptionBudgetSpec", { maxUnavailable: "50%", minAvailable: 1 });

    assert.equal(
      JSON.stringify(printed),
      '{"MinAvailable":1,"Selector":null,"MaxUnavailable":"50%","UnhealthyPodEvictionPolicy":null}',
    );
  });

  it("reads fields of the parent object and sorts maps", () => {
    const printed = printedAs("PodSpec", { hostNetwork: true, securityContext: {}, nodeSelector: { b: "1", a: "2" } });

    const text = JSON.stringify(printed);

    assert.match(text, /"NodeSelector":\{"a":"2","b":"1"\}/);
    assert.match(text, /"SecurityContext":\{"HostNetwork":true,"HostPID":false/);
    assert.match(text, /^\{"Volumes":null,"InitContainers":null,"Containers":null/);
  });

  it("prints values whose diff has three lines of context", () => {
    const difference = printedDifference({ a: 1, b: 2, c: "<" }, { a: 1, b: 3, c: "<" });

    assert.equal(difference, '@@ -1,5 +1,5 @@\n {\n  "a": 1,\n- "b": 2,\n+ "b": 3,\n  "c": "\\u003c"\n }\n');
    assert.equal(printedDifference({ a: 1 }, { a: 1 }), "");
  });
});

describe("unifiedDiff", () => {
  const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

  it("puts distant changes into separate hunks and close ones into one", () => {
    const a = lines(40);
    const b = a.with(5, "x").with(8, "y").with(30, "z");

    const heads = unifiedDiff(a, b)
      .split("\n")
      .filter((line) => line.startsWith("@@"));

    assert.deepEqual(heads, ["@@ -3,10 +3,10 @@", "@@ -28,7 +28,7 @@"]);
  });

  it("counts lines of pure additions and removals", () => {
    assert.equal(unifiedDiff([], ["a"]), "@@ -0,0 +1 @@\n+a\n");
    assert.equal(unifiedDiff(["a", "b"], ["b"]), "@@ -1,2 +1 @@\n-a\n b\n");
  });

  it("produces diffs from which both texts can be restored", () => {
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

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import type { EntryPatch } from "../api/sandbox.ts";
import { deployment, service } from "../testing/fork-baselines.ts";
import { forkInput, podPatch } from "../testing/fork-cases.ts";
import { deriveFork } from "./derive-fork.ts";
import { applyPatches, type PatchProblem } from "./patches.ts";
import { isRefusal, refusalMessage } from "./refusal.ts";

const object: JsonRecord = { ...deployment() };

function problemOf(...patches: EntryPatch[]): PatchProblem {
  const result = applyPatches(object, patches);
  assert.ok("problem" in result, "the patches were applied");
  return result.problem;
}

function derive(patches: EntryPatch[]) {
  const services = [service("cart")];
  return deriveFork(
    forkInput({ baseline: { kind: "Deployment", object: deployment() }, services, entry: { patches } }),
  );
}

function nested(depth: number): EntryPatch["value"] {
  return JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
}

describe("patches that cannot be applied", () => {
  it("name the index of the patch, the operation and the path", () => {
    const good: EntryPatch = { type: "Merge", value: { metadata: { annotations: { a: "b" } } } };
    const bad: EntryPatch = {
      type: "JSON",
      value: [
        { op: "test", path: "/kind", value: "Deployment" },
        { op: "replace", path: "/spec/template/spec/containers/7/image", value: "x" },
      ],
    };

    const { index, path, message } = problemOf(good, bad);

    assert.equal(index, 1);
    assert.equal(path, "/spec/template/spec/containers/7/image");
    assert.match(
      message,
      /^JSON patch does not apply at \/spec\/template\/spec\/containers\/7\/image: operation 1 \(replace\): /,
    );
  });

  it("name the path in a strategic merge patch", () => {
    const { index, path, message } = problemOf({
      type: "Strategic",
      value: podPatch({ containers: [{ image: "x" }] }),
    });

    assert.deepEqual([index, path], [0, "/spec/template/spec/containers"]);
    assert.match(message, /does not contain declared merge key: name/);
  });

  it("are reported with the field of the Sandbox", () => {
    const result = derive([{ type: "JSON", value: [{ op: "remove", path: "/nothing" }] }]);

    assert.ok(isRefusal(result));
    assert.equal(result.reason, "PatchFailed");
    assert.match(
      refusalMessage(result),
      /^spec\.services\[cart\]\.patches\[0\]: JSON patch does not apply at \/nothing: /,
    );
  });

  it("are those that are no object, no list, or give no object", () => {
    assert.match(problemOf({ type: "Merge", value: [] }).message, /the value is not an object/);
    assert.match(problemOf({ type: "Strategic", value: "x" }).message, /the value is not an object/);
    assert.match(problemOf({ type: "JSON", value: {} }).message, /must be a list of operations/);
    assert.match(
      problemOf({ type: "JSON", value: [{ op: "replace", path: "", value: 1 }] }).message,
      /its result is not an object/,
    );
  });

  it("are those that leave no Deployment behind, with all wrong fields", () => {
    const result = derive([{ type: "Merge", value: podPatch({ containers: "x", hostname: 5 }) }]);

    assert.ok(isRefusal(result));
    assert.equal(result.reason, "PatchFailed");
    const text = refusalMessage(result);
    assert.match(text, /spec\.template\.spec\.containers/);
    assert.match(text, /spec\.template\.spec\.hostname/);
  });

  it("are those that remove what a Deployment needs", () => {
    for (const value of [
      { spec: null },
      { spec: { template: null } },
      podPatch({ containers: null }),
      podPatch({ containers: [] }),
    ]) {
      const result = derive([{ type: "Merge", value }]);

      assert.ok(isRefusal(result), JSON.stringify(value));
      assert.equal(result.reason, "PatchFailed");
    }
  });

  it("are those with labels that are no text", () => {
    const result = derive([{ type: "Merge", value: { metadata: { annotations: { a: 1 } } } }]);

    assert.ok(isRefusal(result));
    assert.match(refusalMessage(result), /annotations: the value of "a" must be text/);
  });
});

describe("hostile patches", () => {
  it("are refused if they are too deep, in themselves or by copies", () => {
    const copies = Array.from({ length: 12 }, (_, i) => ({
      op: "copy",
      from: "/x",
      path: `/x${"/a".repeat(2 ** Math.min(i, 9))}`,
    }));
    const deepCopies: EntryPatch = { type: "JSON", value: [{ op: "add", path: "/x", value: {} }, ...copies] };

    for (const type of ["Strategic", "Merge"] as const) {
      assert.match(problemOf({ type, value: nested(8000) }).message, /more than 64 levels/);
    }
    assert.match(
      problemOf({ type: "JSON", value: [{ op: "add", path: "/x", value: nested(8000) }] }).message,
      /more than 64 levels/,
    );
    assert.ok("problem" in applyPatches(object, [deepCopies]));
  });

  it("are refused if they are too large or too many", () => {
    const large: EntryPatch = { type: "Merge", value: { metadata: { annotations: { a: "x".repeat(65_536) } } } };
    const small: EntryPatch = { type: "Merge", value: {} };

    assert.match(problemOf(large).message, /more than 65536 bytes/);
    assert.match(problemOf(...Array.from({ length: 9 }, () => small)).message, /more than 8 patches/);
  });

  it("are refused if copies make the object too large", () => {
    const value = [
      { op: "add", path: "/spec/x", value: "y".repeat(60_000) },
      ...Array.from({ length: 15 }, (_, i) => ({ op: "copy", from: "/spec", path: `/spec/c${i}` })),
    ];

    assert.ok("problem" in applyPatches(object, [{ type: "JSON", value }]));
  });

  it("cannot change prototypes", () => {
    const polluting = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const labels = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}}}');
    const steps = [{ op: "add", path: "/__proto__/polluted", value: true }];

    for (const type of ["Strategic", "Merge"] as const) applyPatches(object, [{ type, value: polluting }]);
    applyPatches(object, [{ type: "JSON", value: steps }]);
    const result = derive([{ type: "Merge", value: labels }]);

    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    assert.ok(isRefusal(result), "a label __proto__ is not valid");
  });

  it("take linear time", () => {
    const elements = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `v${i}`, value: "1" }));
    const strategic = (count: number): EntryPatch[] => [
      { type: "Strategic", value: podPatch({ containers: [{ name: "app", env: elements(count) }] }) },
    ];
    const json = (count: number): EntryPatch[] => [
      {
        type: "JSON",
        value: elements(count).map(({ name }) => ({ op: "add", path: `/metadata/annotations/${name}`, value: "" })),
      },
    ];
    for (const patches of [strategic, json]) {
      derive(patches(100));
      const small = cpuMs(() => derive(patches(100)));
      const large = cpuMs(() => derive(patches(1000)));

      assert.ok(large < 40 * small + 50, `${small} ms and ${large} ms`);
    }
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError } from "../errors/argument-error.ts";
import type { JsonRecord } from "../value/record.ts";
import { StrategicPatchError } from "./strategic-error.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";
import { type StrategicTable, strategicType } from "./strategic-table.ts";

// The rules of Kubernetes itself are compared with its library in packages/apiserver and tools/kubernetes-types.
const table: StrategicTable = {
  Pod: { metadata: ["object", "Meta"], spec: ["object", "PodSpec"] },
  Meta: { labels: ["map"], finalizers: ["list", "", "merge"] },
  PodSpec: { containers: ["list", "Container", "merge", "name"], tolerations: ["list", "Toleration"] },
  Container: { env: ["list", "EnvVar", "merge", "name"], command: ["list"] },
};

const pod: JsonRecord = {
  metadata: { labels: { app: "cart" }, finalizers: ["a"] },
  spec: { containers: [{ name: "app", command: ["run"], env: [{ name: "A", value: "1" }] }, { name: "log" }] },
};

function apply(patch: JsonRecord): JsonRecord {
  return applyStrategicMergePatch(pod, patch, strategicType(table, "Pod"));
}

function failureOf(patch: JsonRecord): StrategicPatchError {
  try {
    apply(patch);
  } catch (error) {
    assert.ok(error instanceof StrategicPatchError, String(error));
    return error;
  }
  assert.fail("the patch was applied");
}

describe("strategic merge patches with a table of rules", () => {
  it("merge lists by their merge key and replace other lists", () => {
    const patched = apply({
      spec: { containers: [{ name: "app", command: ["debug"], env: [{ name: "B", value: "2" }] }] },
    });

    assert.deepEqual(patched["spec"], {
      containers: [
        {
          name: "app",
          command: ["debug"],
          env: [
            { name: "B", value: "2" },
            { name: "A", value: "1" },
          ],
        },
        { name: "log" },
      ],
    });
  });

  it("treat keys such as __proto__ as data", () => {
    const patched = apply({ metadata: { labels: JSON.parse('{"__proto__":"x"}') } });

    assert.equal(JSON.stringify(patched["metadata"]), '{"labels":{"app":"cart","__proto__":"x"},"finalizers":["a"]}');
  });

  const failures: readonly { name: string; patch: JsonRecord; path: string; message: RegExp }[] = [
    {
      name: "an element without its merge key",
      patch: { spec: { containers: [{ image: "x" }] } },
      path: "/spec/containers",
      message: /^map: {"image":"x"} does not contain declared merge key: name$/,
    },
    {
      name: "a wrong element below an element",
      patch: { spec: { containers: [{ name: "log" }, { name: "app", env: [{ value: "x" }] }] } },
      path: "/spec/containers/1/env",
      message: /declared merge key/,
    },
    {
      name: "an unknown directive",
      patch: { metadata: { labels: { $patch: "purge" } } },
      path: "/metadata/labels",
      message: /^unknown patch type: purge in map: {"\$patch":"purge"}$/,
    },
  ];
  for (const { name, patch, path, message } of failures) {
    it(`name the path of ${name}`, () => {
      const failure = failureOf(patch);

      assert.equal(failure.path, path);
      assert.match(failure.message, message);
    });
  }

  it("refuse an object for a field that its type does not have", () => {
    const object = { spec: { unknown: { a: 1 } } };

    assert.throws(
      () => applyStrategicMergePatch(object, { spec: { unknown: { b: 1 } } }, strategicType(table, "Pod")),
      /unable to find api field in struct PodSpec for the json field "unknown"/,
    );
  });

  it("format values of messages as the caller asks", () => {
    const failure = failureOf({ spec: { containers: [{ image: "x" }] } });

    assert.equal(
      failure.describe(() => "VALUE"),
      "map: VALUE does not contain declared merge key: name",
    );
  });

  it("keep the message of a deep value short", () => {
    let deep: unknown = "end";
    for (let i = 0; i < 1000; i += 1) deep = { deep };

    assert.ok(failureOf({ spec: { containers: [{ deep }] } }).message.length < 300);
  });

  it("need a type of the table", () => {
    assert.throws(() => strategicType(table, "__proto__"), ArgumentError);
  });
});

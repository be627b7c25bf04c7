import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { valueAt } from "../values/fields.ts";
import { claimViolations, limitRanger, podViolations, withDefaults } from "./limit-ranger.ts";
import { firstRound, named, readerOf, refusal, requestFor } from "../testing/admission-request.ts";

const range = (...limits: readonly object[]): JsonRecord => named("limits", { spec: { limits } }, "team");
const pod = (requests: object, limits: object = {}): JsonRecord =>
  named("a", { spec: { containers: [{ name: "c", resources: { requests, limits } }] } });

describe("LimitRanges of pods", () => {
  it("set defaults on containers without requests and limits, and record them in an annotation", () => {
    const defaulted = withDefaults(
      named("a", { spec: { containers: [{ name: "c" }, { name: "d", resources: { limits: { cpu: "2" } } }] } }),
      range({ type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }),
    );

    assert.deepEqual(valueAt(defaulted, "spec", "containers", 0, "resources"), {
      requests: { cpu: "100m" },
      limits: { cpu: "1", memory: "1Gi" },
    });
    assert.deepEqual(valueAt(defaulted, "spec", "containers", 1, "resources", "limits"), { cpu: "2", memory: "1Gi" });
    assert.equal(
      valueAt(defaulted, "metadata", "annotations", "kubernetes.io/limit-ranger"),
      "LimitRanger plugin set: cpu request for container c; cpu, memory limit for container c; cpu request for container d; memory limit for container d",
    );
  });

  it("do not change a pod that sets all requests and limits", () => {
    const whole = pod({ cpu: "1" });

    assert.equal(withDefaults(whole, range({ type: "Container", defaultRequest: { cpu: "2" } })), whole);
  });

  it("enforce minimum, maximum and the ratio of limit to request", () => {
    const cases: readonly (readonly [object, JsonRecord, readonly string[]])[] = [
      [
        { type: "Container", min: { cpu: "100m" } },
        pod({}),
        ["minimum cpu usage per Container is 100m.  No request is specified"],
      ],
      [
        { type: "Container", min: { cpu: "0.1" } },
        pod({ cpu: "50m" }),
        ["minimum cpu usage per Container is 100m, but request is 50m"],
      ],
      [
        { type: "Container", min: { cpu: "1" } },
        pod({ cpu: "1" }, { cpu: "500m" }),
        ["minimum cpu usage per Container is 1, but limit is 500m"],
      ],
      [
        { type: "Pod", max: { memory: "1Gi" } },
        pod({}),
        ["maximum memory usage per Pod is 1Gi.  No limit is specified"],
      ],
      [
        { type: "Pod", max: { memory: "1Gi" } },
        pod({}, { memory: "2Gi" }),
        ["maximum memory usage per Pod is 1Gi, but limit is 2Gi"],
      ],
      [
        { type: "Container", max: { cpu: "1" } },
        pod({ cpu: "2" }, { cpu: "1" }),
        ["maximum cpu usage per Container is 1, but request is 2"],
      ],
      [
        { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
        pod({ cpu: "1" }, { cpu: "3" }),
        ["cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"],
      ],
      [
        { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
        pod({}),
        ["cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"],
      ],
      [{ type: "Container", min: { cpu: "1" }, max: { cpu: "2" } }, pod({ cpu: "1" }, { cpu: "2" }), []],
    ];

    for (const [limit, object, violations] of cases) assert.deepEqual(podViolations(object, range(limit)), violations);
  });

  it("count init containers if they need more than the containers, and sidecars with both", () => {
    const large = named("a", {
      spec: {
        containers: [{ name: "c", resources: { limits: { cpu: "1" } } }],
        initContainers: [
          { name: "sidecar", restartPolicy: "Always", resources: { limits: { cpu: "1" } } },
          { name: "first", resources: { limits: { cpu: "2" } } },
        ],
      },
    });

    assert.deepEqual(podViolations(large, range({ type: "Pod", max: { cpu: "2" } })), [
      "maximum cpu usage per Pod is 2, but limit is 3",
    ]);
  });

  it("report all violations at once", async () => {
    const step = limitRanger(
      readerOf({ limitranges: [range({ type: "Container", min: { cpu: "1" }, max: { memory: "1" } })] }),
    );

    assert.equal(
      await refusal(() => step.validate?.(requestFor("pods", pod({})))),
      '403 pods "a" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, maximum memory usage per Container is 1.  No limit is specified]',
    );
    const update = requestFor("pods", pod({}), { operation: "UPDATE" });
    assert.equal(await refusal(() => step.validate?.(update)), undefined, "containers never change");
    assert.equal(await step.mutate?.(requestFor("configmaps", named("a")), firstRound()), undefined);
  });
});

describe("LimitRanges of claims", () => {
  it("enforce minimum and maximum of the requested storage", () => {
    const claim = named("a", { spec: { resources: { requests: { storage: "3Gi" } } } });
    const limit = { type: "PersistentVolumeClaim", min: { storage: "4Gi" }, max: { storage: "2Gi" } };

    assert.deepEqual(claimViolations(claim, range(limit)), [
      "minimum storage usage per PersistentVolumeClaim is 4Gi, but request is 3Gi",
      "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi",
    ]);
  });
});

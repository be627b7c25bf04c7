import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propertyRuns } from "@homeostat/fuzz";
import { ConversionError } from "@homeostat/schema";
import { handleConversionReview } from "@homeostat/webhook";
import fc from "fast-check";
import { at, normalOf, object, specV1, specV2, to } from "../testing/random-specs.ts";
import { LocustTest } from "../api/locust-test.ts";
import { conversion } from "./conversion.ts";

const v1 = "locust.io/v1";
const v2 = "locust.io/v2";

const small = { image: "i", master: { command: "m" }, worker: { command: "w", replicas: 2 } };
const smallV1 = { image: "i", masterCommandSeed: "m", workerCommandSeed: "w", workerReplicas: 2 };

describe("conversion", () => {
  it("adds no defaults except autostart and autoquit", () => {
    const labels = { master: { a: "1" } };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { b: "2", a: "1" } } };

    assert.deepEqual(
      to(v2, object(v1, { ...smallV1, labels, affinity, imagePullSecrets: ["p"], configMap: "c" })).spec,
      {
        image: "i",
        imagePullSecrets: [{ name: "p" }],
        master: { command: "m", labels: { a: "1" }, autostart: true, autoquit: { enabled: true, timeout: 60 } },
        worker: { command: "w", replicas: 2 },
        testFiles: { configMapRef: "c" },
        scheduling: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: "a", operator: "In", values: ["1"] },
                      { key: "b", operator: "In", values: ["2"] },
                    ],
                  },
                ],
              },
            },
          },
        },
      },
    );
  });

  it("treats an empty pull policy as none", () => {
    assert.deepEqual(to(v2, object(v1, { ...smallV1, imagePullPolicy: "" })).spec, to(v2, object(v1, smallV1)).spec);
  });

  it("adds no annotation if v1 can express the spec, also with stored defaults", () => {
    const stored = LocustTest.parse(to(v2, object(v1, { ...smallV1, configMap: "c" })));

    assert.deepEqual(to(v1, stored).metadata, { name: "shop", namespace: "perf" });
  });

  it("keeps empty objects that have a meaning in the annotation", () => {
    const master = { command: "m", autostart: true, autoquit: { enabled: true, timeout: 60 } };
    const odd: object[] = [
      { scheduling: { runtimeClassName: "" } },
      { master: { ...master, autoquit: { enabled: true, timeout: 0 } } },
      { master: { ...master, autostart: false } },
      { env: { secretMounts: [{ name: "s", mountPath: "/s", readOnly: false }] } },
    ];
    for (const spec of odd) {
      const start = object(v2, { ...small, master, ...spec });
      const there = to(v1, start);

      assert.ok(there.metadata.annotations?.["locust.io/v2-spec"] !== undefined);
      assert.deepEqual(normalOf(to(v2, there)), normalOf(start));
    }
    assert.equal(to(v1, object(v2, { ...small, master })).metadata.annotations, undefined);
  });

  it("writes the whole v2 spec as compact JSON, beside other annotations", () => {
    const spec = { ...small, timeoutSeconds: 5 };
    const metadata = { name: "shop", namespace: "perf", annotations: { mine: "1" } };

    const there = to(v1, object(v2, spec, { metadata }));

    assert.deepEqual(there.metadata.annotations, { mine: "1", "locust.io/v2-spec": JSON.stringify(spec) });
    assert.deepEqual(to(v2, there).metadata, metadata);
  });

  it("keeps the status unchanged in both directions", () => {
    const status = { phase: "Running", run: 3, odd: { any: ["thing"] } };

    const there = to(v1, object(v2, { ...small, timeoutSeconds: 5 }, { status }));

    assert.deepEqual(there.status, status);
    assert.deepEqual(to(v2, there).status, status);
  });

  it("keeps the status and v2-only fields when a label is set through v1", () => {
    const status = { phase: "Succeeded", startTime: "2026-01-01T00:00:00Z" };
    const start = LocustTest.parse(
      object(v2, { ...small, thresholds: [{ metric: "failRatio", max: 0.1 }] }, { status }),
    );
    const there = to(v1, start);

    const back = to(v2, { ...there, metadata: { ...there.metadata, labels: { a: "b" } } });

    assert.deepEqual(back, { ...start, metadata: { ...start.metadata, labels: { a: "b" } } });
  });

  for (const text of ["{", "[]", "7", "null", '"text"', "", "\u0000"]) {
    it(`ignores the annotation ${JSON.stringify(text)}, removes it and returns a warning`, () => {
      const metadata = { name: "shop", namespace: "perf", annotations: { "locust.io/v2-spec": text, mine: "1" } };

      const { object: found, warnings } = conversion.convert(object(v1, smallV1, { metadata }), v2);

      assert.deepEqual(found, {
        ...to(v2, object(v1, smallV1)),
        metadata: { ...metadata, annotations: { mine: "1" } },
      });
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /locust\.io\/v2-spec of perf\/shop does not contain a JSON object/);
    });
  }

  it("rejects an annotation with an invalid v2 spec", () => {
    for (const spec of [{}, { ...small, worker: { command: "w", replicas: 501 } }, { ...small, master: "m" }]) {
      const annotations = { "locust.io/v2-spec": JSON.stringify(spec) };
      const start = object(v1, smallV1, { metadata: { name: "shop", namespace: "perf", annotations } });

      assert.throws(
        () => conversion.convert(start, v2),
        /perf\/shop cannot be converted: annotation .* does not contain a valid spec/,
      );
    }
  });

  it("removes the annotation from a v2 object", () => {
    const annotations = { "locust.io/v2-spec": "{}", "locust.io/v2-spec-omitted": "true" };
    const master = { command: "m", autostart: true, autoquit: { enabled: true, timeout: 60 } };
    const start = object(v2, { ...small, master }, { metadata: { name: "shop", namespace: "perf", annotations } });

    assert.equal(to(v1, start).metadata.annotations, undefined);
  });

  it("marks a spec of more than 200 KiB, which can be read but not updated through v1", () => {
    const spec = { ...small, env: { variables: [{ name: "A", value: "x".repeat(200 * 1024) }] } };

    const there = to(v1, object(v2, spec));

    assert.deepEqual(there.metadata.annotations, { "locust.io/v2-spec-omitted": "true" });
    assert.throws(
      () => conversion.convert(there, v2),
      (error) =>
        error instanceof ConversionError &&
        error.message ===
          "perf/shop cannot be converted: this LocustTest uses v2 fields that are too large to be kept in the v1 form; update it through locust.io/v2.",
    );
  });

  it("marks a spec that fits by itself but not beside the other annotations", () => {
    const annotations = { mine: "x".repeat(200 * 1024) };
    const spec = { ...small, env: { variables: [{ name: "A", value: "x".repeat(100 * 1024) }] } };

    const there = to(v1, object(v2, spec, { metadata: { name: "shop", namespace: "perf", annotations } }));

    assert.deepEqual(Object.keys(there.metadata.annotations ?? {}), ["mine", "locust.io/v2-spec-omitted"]);
  });

  it("omits tolerations that v1 cannot express, and restores them", () => {
    const tolerations = [{ operator: "Exists" }, { key: "a", effect: "NoExecute", tolerationSeconds: 3 }];
    const start = object(v2, { ...small, scheduling: { tolerations } });

    const there = to(v1, start);

    assert.deepEqual(there.spec["tolerations"], [{ key: "a", operator: "Equal", effect: "NoExecute" }]);
    assert.deepEqual(at(to(v2, there).spec, ["scheduling", "tolerations"]), tolerations);
  });

  it("responds to a review with all objects in order, or with the failed object and the reason", () => {
    const sendReview = (
      objects: unknown[],
    ): { convertedObjects: unknown[]; result: { status: string; message?: string } } => {
      const request = { uid: "u", desiredAPIVersion: v1, objects };
      const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
      const { body } = handleConversionReview([conversion], new TextEncoder().encode(JSON.stringify(review)));
      const { response } = JSON.parse(body) as { response: { uid: string } & ReturnType<typeof sendReview> };
      assert.equal(response.uid, "u");
      return response;
    };
    const good = object(v2, small);

    const passed = sendReview([good, { ...good, spec: { ...small, image: "second" } }]);
    const failed = sendReview([good, { ...good, metadata: { name: "broken", namespace: "perf" }, spec: {} }]);

    assert.deepEqual(
      passed.convertedObjects.map((each) => at(each, ["spec", "image"])),
      ["i", "second"],
    );
    assert.equal(failed.result.status, "Failure");
    assert.match(
      failed.result.message ?? "",
      /perf\/broken cannot be converted: it has no valid spec of locust\.io\/v2/,
    );
  });

  it("throws only ConversionError for random input", () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.record({
        apiVersion: fc.constantFrom(v1, v2, "locust.io/v3", "", 7),
        kind: fc.constantFrom("LocustTest", "Other"),
        metadata: fc.oneof(
          fc.jsonValue(),
          fc.record({
            name: fc.constant("a"),
            annotations: fc.dictionary(fc.constantFrom("locust.io/v2-spec", "a"), fc.json()),
          }),
        ),
        spec: fc.oneof(
          fc.jsonValue(),
          specV1,
          specV2,
          fc.tuple(specV1, fc.jsonValue()).map(([a, b]) => Object.assign(a, b)),
        ),
      }),
    );
    const before = Object.getOwnPropertyNames(Object.prototype).length;

    fc.assert(
      fc.property(odd, fc.constantFrom(v1, v2, "x"), (value, target) => {
        try {
          conversion.convert(value, target);
        } catch (error) {
          assert.ok(error instanceof ConversionError, String(error));
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
    assert.equal(Object.getOwnPropertyNames(Object.prototype).length, before);
  });

  it("rejects unknown versions and kinds", () => {
    assert.throws(() => conversion.convert(object("locust.io/v3", small), v1), /locust\.io\/v3 is not a version/);
    assert.throws(() => conversion.convert(object(v2, small), "locust.io/v9"), /locust\.io\/v9 is not a version/);
    assert.throws(() => conversion.convert({ ...object(v2, small), kind: "Pod" }, v1), /its kind is not LocustTest/);
    assert.throws(() => conversion.convert("text", v1), /An object without a name cannot be converted/);
  });

  it("returns an object in the target version unchanged", () => {
    const start = object(v2, small);

    assert.deepEqual(
      conversion.convertAll([start, start], v2).map((each) => each.object),
      [start, start],
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propertyRuns } from "@homeostat/fuzz";
import fc from "fast-check";
import { affinity, toleration } from "@homeostat/kubernetes/core/v1/schemas";
import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import { ConversionError } from "./conversion-error.ts";
import { type Conversion, defineConversion } from "./define-conversion.ts";
import { checkRoundTrips } from "./round-trip.ts";

// A load test in two generations of an API: v1 has a flat spec, v2 has many more fields.
const LoadTest = defineResource({
  group: "load.example.com",
  kind: "LoadTest",
  versions: {
    v1: {
      deprecated: true,
      spec: {
        image: s.string(),
        masterCommandSeed: s.string(),
        workerReplicas: s.int().min(1).max(500).default(1),
        imagePullSecrets: s.list(s.string()).atomic().optional(),
        configMap: s.string().optional(),
        nodeLabels: s.map(s.string()).optional(),
        tolerations: s
          .list(
            s.object({
              key: s.string(),
              operator: s.enum("Exists", "Equal"),
              effect: s.enum("NoSchedule", "PreferNoSchedule", "NoExecute"),
            }),
          )
          .atomic()
          .optional(),
      },
      // v1 declares no status fields, so it passes the status of v2 through unchanged.
      status: s.opaque<{ phase?: "Pending" | "Running"; run?: number }>().optional(),
    },
    v2: {
      storage: true,
      spec: {
        image: s.string(),
        imagePullSecrets: s
          .list(s.object({ name: s.string().default("") }))
          .atomic()
          .optional(),
        master: s.object({
          command: s.string(),
          autostart: s.bool().default(true),
          autoquit: s.object({ enabled: s.bool().default(true), timeout: s.int().min(0).default(60) }).default({}),
        }),
        worker: s.object({ replicas: s.int().min(1).max(500) }),
        testFiles: s
          .object({ configMapRef: s.string().optional(), srcMountPath: s.string().default("/lotest/src") })
          .optional(),
        scheduling: s
          .object({
            affinity: s.embedded(affinity).optional(),
            tolerations: s.list(s.embedded(toleration)).atomic().optional(),
            runtimeClassName: s.string().optional(),
          })
          .optional(),
        env: s
          .list(s.object({ name: s.string(), value: s.string().optional() }))
          .mapBy("name")
          .optional(),
      },
      status: { phase: s.enum("Pending", "Running").optional(), run: s.int().optional() },
    },
  },
});

const conversion = defineConversion(LoadTest, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec, status }) => {
        const labels = Object.entries(spec.nodeLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
        const matchExpressions = labels.map(([key, value]) => ({ key, operator: "In" as const, values: [value] }));
        const hasScheduling = labels.length > 0 || (spec.tolerations ?? []).length > 0;
        return {
          spec: {
            image: spec.image,
            ...(spec.imagePullSecrets !== undefined && {
              imagePullSecrets: spec.imagePullSecrets.map((name) => ({ name })),
            }),
            master: { command: spec.masterCommandSeed },
            worker: { replicas: spec.workerReplicas },
            ...(spec.configMap !== undefined && { testFiles: { configMapRef: spec.configMap } }),
            ...(hasScheduling && {
              scheduling: {
                ...(labels.length > 0 && {
                  affinity: {
                    nodeAffinity: {
                      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
                    },
                  },
                }),
                ...(spec.tolerations !== undefined && { tolerations: spec.tolerations }),
              },
            }),
          },
          ...(status !== undefined && { status }),
        };
      },
      fromHub: ({ spec, status }) => {
        const required = spec.scheduling?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
        const labels = (required?.nodeSelectorTerms ?? [])
          .flatMap((term) => term.matchExpressions ?? [])
          .flatMap(({ key, operator, values }) =>
            operator === "In" && values?.[0] !== undefined ? [[key, values[0]] as const] : [],
          );
        const tolerations = spec.scheduling?.tolerations?.flatMap(({ key, operator, effect }) =>
          key === undefined || effect === undefined
            ? []
            : [{ key, operator: operator === "Exists" ? ("Exists" as const) : ("Equal" as const), effect }],
        );
        return {
          spec: {
            image: spec.image,
            masterCommandSeed: spec.master.command,
            workerReplicas: spec.worker.replicas,
            ...(spec.imagePullSecrets !== undefined && {
              imagePullSecrets: spec.imagePullSecrets.map(({ name }) => name),
            }),
            ...(spec.testFiles?.configMapRef !== undefined && { configMap: spec.testFiles.configMapRef }),
            ...(labels.length > 0 && { nodeLabels: Object.fromEntries(labels) }),
            ...(tolerations !== undefined && { tolerations }),
          },
          ...(status !== undefined && { status }),
        };
      },
    },
  },
});

const stashKey = "load.example.com/v2-stash";
const v1 = "load.example.com/v1";
const v2 = "load.example.com/v2";

const full = LoadTest.make({
  metadata: { name: "load", namespace: "team", uid: "u", resourceVersion: "7", annotations: { note: "x" } },
  spec: {
    image: "locust:2",
    master: { command: "run", autostart: false, autoquit: { timeout: 0 } },
    worker: { replicas: 3 },
    testFiles: { configMapRef: "files", srcMountPath: "/src" },
    scheduling: {
      affinity: { podAffinity: {} },
      tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }],
      runtimeClassName: "",
    },
    env: [{ name: "A", value: "1" }],
  },
  status: { phase: "Running", run: 2 },
});

interface Loose {
  apiVersion: string;
  metadata: { annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

function to(apiVersion: string, object: unknown, through: Conversion = conversion): Loose {
  return structuredClone(through.convert(object, apiVersion).object) as unknown as Loose;
}

describe("defineConversion", () => {
  it("stashes values that the other version cannot represent, and restores them", () => {
    const short = to(v1, full);

    const back = to(v2, short);

    assert.equal(short.spec["workerReplicas"], 3);
    assert.ok(short.metadata.annotations?.[stashKey]?.includes("autostart"));
    assert.deepEqual(back, LoadTest.default(full));
  });

  it("adds no annotation if nothing is lost, or only defaults differ", () => {
    const plain = LoadTest.make({
      metadata: { name: "load" },
      spec: { image: "i", master: { command: "c" }, worker: { replicas: 1 }, testFiles: { configMapRef: "f" } },
    });

    const short = to(v1, plain);

    assert.equal(short.metadata.annotations, undefined);
    assert.deepEqual(to(v2, short), LoadTest.default(plain));
  });

  it("keeps metadata and status, and does not modify its argument", () => {
    const before = structuredClone(full);

    const { object } = conversion.convert(full, v1);

    assert.deepEqual(full, before);
    assert.equal(object.metadata.uid, "u");
    assert.equal(object.metadata.annotations?.["note"], "x");
    assert.deepEqual((object as unknown as { status: unknown }).status, { phase: "Running", run: 2 });
  });

  it("applies the defaults of the target version", () => {
    const short = {
      apiVersion: v1,
      kind: "LoadTest",
      metadata: { name: "a" },
      spec: { image: "i", masterCommandSeed: "c" },
    };

    const { spec } = to(v2, short);

    assert.deepEqual(spec, {
      image: "i",
      master: { command: "c", autostart: true, autoquit: { enabled: true, timeout: 60 } },
      worker: { replicas: 1 },
    });
  });

  it("changes only the counterpart of a field that was changed in the other version", () => {
    const changes: [string, unknown, (spec: Loose["spec"]) => void][] = [
      ["image", "new", (spec) => (spec["image"] = "new")],
      ["workerReplicas", 9, (spec) => (spec["worker"] = { replicas: 9 })],
      ["masterCommandSeed", "go", (spec) => ((spec["master"] as { command: string }).command = "go")],
      ["configMap", "more", (spec) => ((spec["testFiles"] as { configMapRef: string }).configMapRef = "more")],
      ["configMap", undefined, (spec) => delete (spec["testFiles"] as { configMapRef?: string }).configMapRef],
    ];

    for (const [field, value, change] of changes) {
      const short = to(v1, full);
      if (value === undefined) delete short.spec[field];
      else short.spec[field] = value;
      const wanted = structuredClone(LoadTest.default(full)) as unknown as Loose;
      change(wanted.spec);

      assert.deepEqual(to(v2, short).spec, wanted.spec, field);
    }
  });

  it("drops a stashed value with a warning if its field was changed in the other version", () => {
    const short = to(v1, full);
    short.spec["tolerations"] = [{ key: "b", operator: "Exists", effect: "NoExecute" }];

    const { object, warnings } = conversion.convert(short, v2);

    const { scheduling } = (object as unknown as { spec: { scheduling: { tolerations: unknown; affinity: unknown } } })
      .spec;
    assert.deepEqual(scheduling.tolerations, [{ key: "b", operator: "Exists", effect: "NoExecute" }]);
    assert.deepEqual(scheduling.affinity, { podAffinity: {} }, "the rest stays");
    assert.deepEqual(warnings, [
      "spec.scheduling.tolerations: dropped the value stashed for load.example.com/v2 because the field was changed in another version",
    ]);
  });

  it("ignores a stash annotation that cannot be parsed", () => {
    for (const text of ["", "{", "null", "[1]", '[{"at":[]}]', '[{"at":[{}]}]', '{"at":["a"]}']) {
      const short = to(v1, full);
      short.metadata.annotations = { [stashKey]: text };

      const { object, warnings } = conversion.convert(short, v2);

      assert.equal(object.metadata.annotations, undefined);
      assert.deepEqual(warnings, [`ignored annotation ${stashKey}: it was edited and cannot be read`]);
    }
  });

  it("rejects a stash annotation with values that the schema forbids", () => {
    const short = to(v1, full);
    short.metadata.annotations = { [stashKey]: '[{"at":["spec","worker","replicas"],"was":3,"is":100000}]' };

    assert.throws(() => conversion.convert(short, v2), { code: "CONVERSION", message: /spec\.worker\.replicas/ });
  });

  it("removes a stash annotation for the version of the object itself", () => {
    const planted = structuredClone(full);
    planted.metadata.annotations = { [stashKey]: '[{"at":["spec","worker","replicas"],"was":3,"is":400}]' };

    const { spec } = to(v2, to(v1, planted));

    assert.deepEqual(spec["worker"], { replicas: 3 });
  });

  it("names the version to use if the stash is too large for an annotation", () => {
    const huge = structuredClone(full);
    huge.spec.env = Array.from({ length: 3000 }, (_, index) => ({ name: `V${index}`, value: "x".repeat(100) }));

    const short = to(v1, huge);

    assert.equal(short.metadata.annotations?.[stashKey], "omitted");
    assert.throws(() => conversion.convert(short, v2), {
      code: "CONVERSION",
      key: "team/load",
      message: /write it as load\.example\.com\/v2/,
    });
  });

  it("subtracts the size of other annotations from the stash limit", () => {
    const crowded = { ...full, metadata: { ...full.metadata, annotations: { big: "x".repeat(256 * 1024 - 100) } } };

    assert.equal(to(v1, crowded).metadata.annotations?.[stashKey], "omitted");
  });

  it("converts lists in order and names the object that fails", () => {
    const objects = ["a", "b"].map((name) => ({ ...full, metadata: { name } }));

    const converted = conversion.convertAll(objects, v1);

    assert.deepEqual(
      converted.map(({ object }) => object.metadata.name),
      ["a", "b"],
    );
    assert.throws(() => conversion.convertAll([...objects, { ...full, kind: "Other" }], v1), { key: "team/load" });
  });

  it("throws a ConversionError for unknown versions and kinds", () => {
    const wrong: [unknown, string][] = [
      [full, "load.example.com/v3"],
      [full, "v1"],
      [full, "__proto__"],
      [{ ...full, apiVersion: "load.example.com/v9" }, v1],
      [{ ...full, kind: "Tenant" }, v1],
      [null, v1],
      ["x", v1],
      [{}, v1],
    ];

    for (const [object, version] of wrong) {
      assert.throws(() => conversion.convert(object, version), { code: "CONVERSION" });
    }
  });

  it("wraps errors of conversion functions", () => {
    const broken = { apiVersion: v1, kind: "LoadTest", metadata: { name: "a" }, spec: { imagePullSecrets: 3 } };

    assert.throws(
      () => conversion.convert(broken, v2),
      (error) => error instanceof ConversionError && error.key === "a" && error.cause instanceof TypeError,
    );
  });
});

const text = fc.constantFrom("", "a", "b", "x y", "ü", "__proto__", "/lotest/src");
const spec2 = fc.record(
  {
    image: text,
    master: fc.record(
      {
        command: text,
        autostart: fc.boolean(),
        autoquit: fc.record({ enabled: fc.boolean(), timeout: fc.constantFrom(0, 60, 61) }, { requiredKeys: [] }),
      },
      { requiredKeys: ["command"] },
    ),
    worker: fc.record({ replicas: fc.constantFrom(1, 2, 500) }),
    imagePullSecrets: fc.array(fc.record({ name: text }, { requiredKeys: [] }), { maxLength: 2 }),
    testFiles: fc.record({ configMapRef: text, srcMountPath: text }, { requiredKeys: [] }),
    scheduling: fc.record(
      {
        runtimeClassName: text,
        tolerations: fc.array(
          fc.record(
            {
              key: text,
              operator: fc.constantFrom("Exists", "Equal"),
              value: text,
              effect: fc.constantFrom("NoSchedule", "NoExecute"),
              tolerationSeconds: fc.nat(3),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 2 },
        ),
        affinity: fc.record(
          {
            podAffinity: fc.constant({}),
            nodeAffinity: fc.record({
              requiredDuringSchedulingIgnoredDuringExecution: fc.record({
                nodeSelectorTerms: fc.array(
                  fc.record({
                    matchExpressions: fc.array(
                      fc.record(
                        {
                          key: text,
                          operator: fc.constantFrom("In", "NotIn"),
                          values: fc.array(text, { maxLength: 2 }),
                        },
                        { requiredKeys: ["key", "operator"] },
                      ),
                      { maxLength: 2 },
                    ),
                  }),
                  { maxLength: 2 },
                ),
              }),
            }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
    env: fc.uniqueArray(fc.record({ name: text, value: text }, { requiredKeys: ["name"] }), {
      maxLength: 3,
      selector: ({ name }) => name,
    }),
  },
  { requiredKeys: ["image", "master", "worker"] },
);
const object2 = fc.record(
  {
    apiVersion: fc.constant(v2),
    kind: fc.constant("LoadTest"),
    metadata: fc.constant({ name: "load", namespace: "team" }),
    spec: spec2,
    status: fc.record({ phase: fc.constantFrom("Pending", "Running"), run: fc.nat() }, { requiredKeys: [] }),
  },
  { requiredKeys: ["apiVersion", "kind", "metadata", "spec"] },
);
const object1 = fc.record(
  {
    apiVersion: fc.constant(v1),
    kind: fc.constant("LoadTest"),
    metadata: fc.constant({ name: "load" }),
    spec: fc.record(
      {
        image: text,
        masterCommandSeed: text,
        workerReplicas: fc.integer({ min: 1, max: 500 }),
        imagePullSecrets: fc.array(text, { maxLength: 2 }),
        configMap: text,
        nodeLabels: fc.dictionary(text, text, { maxKeys: 3 }),
        tolerations: fc.array(
          fc.record({
            key: text,
            operator: fc.constantFrom("Exists", "Equal"),
            effect: fc.constantFrom("NoSchedule", "NoExecute"),
          }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: ["image", "masterCommandSeed"] },
    ),
    status: fc.record({ phase: fc.constantFrom("Pending", "Running"), run: fc.nat() }, { requiredKeys: [] }),
  },
  { requiredKeys: ["apiVersion", "kind", "metadata", "spec"] },
);

describe("checkRoundTrips", () => {
  it("finds no difference in round trips from the hub", () => {
    const samples = fc.sample(object2, { numRuns: propertyRuns(1000), seed: 1 });

    assert.deepEqual(checkRoundTrips(conversion, samples).slice(0, 3), []);
  });

  it("finds no difference but empty containers in round trips from the old version", () => {
    const samples = fc.sample(object1, { numRuns: propertyRuns(1000), seed: 2 });
    const isEmpty = (value: unknown): boolean =>
      value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

    const faults = checkRoundTrips(conversion, samples, {
      isSame: (before, after) =>
        (isEmpty(before) && isEmpty(after)) || JSON.stringify(before) === JSON.stringify(after),
    });

    assert.deepEqual(faults.slice(0, 3), []);
  });

  it("reports values that are lost", () => {
    const forgetful = defineConversion(LoadTest, {
      hub: "v2",
      spokes: {
        v1: {
          toHub: ({ spec }) => ({
            spec: { image: spec.image, master: { command: "c" }, worker: { replicas: spec.workerReplicas } },
          }),
          fromHub: ({ spec }) => ({
            spec: {
              image: spec.image,
              masterCommandSeed: spec.master.command,
              workerReplicas: spec.worker.replicas * 100,
            },
          }),
        },
      },
    });
    const one = {
      apiVersion: v1,
      kind: "LoadTest",
      metadata: { name: "a" },
      spec: { image: "i", masterCommandSeed: "x" },
    };
    const many = LoadTest.make({
      metadata: { name: "b" },
      spec: { image: "i", master: { command: "c" }, worker: { replicas: 6 } },
    });

    const faults = checkRoundTrips(forgetful, [many, one, {}]);

    const replicas = "Invalid value: 600: spec.workerReplicas in body should be less than or equal to 500";
    assert.deepEqual(
      faults.map(({ route, fault }) => `${route}: ${fault}`),
      [
        `v2 -> v1 -> v2: in v1: spec.workerReplicas: ${replicas}`,
        'v1 -> v2 -> v1: metadata.annotations: nothing became {"load.example.com/v2-stash":"[{\\"at\\":[\\"spec\\",\\"worker\\",\\"replicas\\"],\\"was\\":100,\\"is\\":1}]"}',
        'v1 -> v2 -> v1: spec.masterCommandSeed: "x" became "c"',
        "v1 -> v2 -> v1: spec.workerReplicas: 1 became 100",
        "nowhere: apiVersion: must be a version of the resource",
      ],
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { handleAdmissionReview, webhookManifests } from "@homeostat/webhook";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { readSettings } from "../settings/settings.ts";
import { locustWebhook } from "../webhooks/admission.ts";
import { conversion } from "../webhooks/conversion.ts";
import { describeProblems, type Rule, type TestProblem } from "./problem.ts";
import { testProblems } from "./rules.ts";
import { testWarnings } from "./warnings.ts";

type Spec = LocustTestInput["spec"];

const { settings } = readSettings({});
const master = { command: "-f a.py -t 1m" };
const worker = { command: "-f a.py", replicas: 1 };

function testWith(spec: Partial<Spec> = {}, name = "shop"): LocustTest {
  return LocustTest.default({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name, namespace: "perf" },
    spec: { image: "locust", master, worker, ...spec },
  });
}

function problemsOf(test: LocustTest): TestProblem[] {
  return testProblems(test, settings);
}

interface Refusal {
  readonly rule: Rule;
  readonly spec?: Partial<Spec>;
  readonly name?: string;
  readonly path: string;
  readonly message: string;
}

const volume = (name: string) => ({ name, emptyDir: {} });
const mounted = (name: string, mountPath: string): Partial<Spec> => ({
  volumes: [volume(name)],
  volumeMounts: [{ name, mountPath }],
});
const secretAt = (...paths: string[]): Partial<Spec> => ({
  env: { secretMounts: paths.map((mountPath) => ({ name: "s", mountPath })) },
});

const refusals: Refusal[] = [
  {
    rule: "NameTooLong",
    name: "a".repeat(57),
    path: "metadata.name",
    message: `name "${"a".repeat(57)}" is too long: generated Job names would exceed 63 characters (max CR name length is 56)`,
  },
  {
    rule: "NameNotAServiceName",
    name: "1st",
    path: "metadata.name",
    message: 'name "1st" must start with a letter: it is used for a Service',
  },
  {
    rule: "SecretMountOnReservedPath",
    spec: secretAt("/lotest/src/"),
    path: "spec.env.secretMounts[0].mountPath",
    message:
      'secretMount path "/lotest/src/" conflicts with reserved path "/lotest/src"; operator uses this path for test files',
  },
  {
    rule: "SecretMountOnReservedPath",
    spec: secretAt("/opt/locust"),
    path: "spec.env.secretMounts[0].mountPath",
    message:
      'secretMount path "/opt/locust" conflicts with reserved path "/opt/locust/lib"; operator uses this path for test files',
  },
  {
    rule: "MountPathUsedTwice",
    spec: secretAt("/a", "/a/"),
    path: "spec.env.secretMounts[1].mountPath",
    message: 'mountPath "/a/" is used twice',
  },
  {
    rule: "MountPathUsedTwice",
    spec: { ...secretAt("/a"), ...mounted("v", "/a") },
    path: "spec.volumeMounts[0].mountPath",
    message: 'mountPath "/a" is used twice',
  },
  {
    rule: "MountPathUsedTwice",
    spec: { testFiles: { configMapRef: "a", libConfigMapRef: "b", srcMountPath: "/x", libMountPath: "/x" } },
    path: "spec.testFiles.libMountPath",
    message: 'mountPath "/x" is used twice',
  },
  {
    rule: "VolumePrefixReserved",
    spec: { volumes: [volume("secret-a")] },
    path: "spec.volumes[0].name",
    message: 'volume name "secret-a" uses reserved prefix "secret-"',
  },
  {
    rule: "VolumeNameReserved",
    spec: { volumes: [volume("locust-lib")] },
    path: "spec.volumes[0].name",
    message: 'volume name "locust-lib" is reserved by the operator',
  },
  {
    rule: "VolumeNameGenerated",
    spec: { volumes: [volume("a-b-worker")] },
    name: "a.b",
    path: "spec.volumes[0].name",
    message: 'volume name "a-b-worker" conflicts with operator-generated name',
  },
  {
    rule: "VolumeMountOnReservedPath",
    spec: mounted("v", "/lotest/src/deep"),
    path: "spec.volumeMounts[0].mountPath",
    message: 'volumeMount path "/lotest/src/deep" conflicts with reserved path "/lotest/src"',
  },
  {
    rule: "VolumeUndefined",
    spec: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    path: "spec.volumeMounts[0].name",
    message: 'volumeMount "v" references undefined volume',
  },
  {
    rule: "VolumeNameUsedTwice",
    spec: { volumes: [volume("v"), volume("v")] },
    path: "spec.volumes[1].name",
    message: 'volume name "v" is used twice',
  },
  {
    rule: "TelemetryWithoutEndpoint",
    spec: { observability: { openTelemetry: { enabled: true } } },
    path: "spec.observability.openTelemetry.endpoint",
    message: "observability.openTelemetry.endpoint is required when OpenTelemetry is enabled",
  },
  { rule: "FieldBlank", spec: { image: "" }, path: "spec.image", message: "spec.image must not be blank" },
  {
    rule: "FieldBlank",
    spec: { master: { command: " \n" } },
    path: "spec.master.command",
    message: "spec.master.command must not be blank",
  },
  {
    rule: "FieldBlank",
    spec: { worker: { command: "\t", replicas: 1 } },
    path: "spec.worker.command",
    message: "spec.worker.command must not be blank",
  },
  {
    rule: "FlagNotAllowed",
    spec: { master: { command: "-t 1m --worker" } },
    path: "spec.master.command",
    message: "--worker cannot be used on the master",
  },
  {
    rule: "FlagNotAllowed",
    spec: { master: { command: "-t 1m", extraArgs: ["-L", "--processes=4"] } },
    path: "spec.master.extraArgs[1]",
    message: "--processes cannot be used on the master",
  },
  {
    rule: "FlagNotAllowed",
    spec: { worker: { command: "-f a --master", replicas: 1 } },
    path: "spec.worker.command",
    message: "--master cannot be used on the worker",
  },
  {
    rule: "FlagNotAllowed",
    spec: { worker: { command: "-f a --autoquit 5", replicas: 1 } },
    path: "spec.worker.command",
    message: "--autoquit cannot be used on the worker",
  },
  {
    rule: "ReplicasOutOfRange",
    spec: { worker: { command: "x", replicas: 501 } },
    path: "spec.worker.replicas",
    message: "must be an integer from 1 to 500",
  },
  {
    rule: "ThresholdInvalid",
    spec: { thresholds: [{ metric: "failRatio" }] },
    path: "spec.thresholds[0]",
    message: "set min or max",
  },
  {
    rule: "ThresholdInvalid",
    spec: { thresholds: [{ metric: "failRatio", max: -1 }] },
    path: "spec.thresholds[0]",
    message: "max must not be negative",
  },
  {
    rule: "ThresholdInvalid",
    spec: { thresholds: [{ metric: "totalRequests", min: -1 }] },
    path: "spec.thresholds[0]",
    message: "min must not be negative",
  },
  {
    rule: "ThresholdInvalid",
    spec: { thresholds: [{ metric: "missingWorkers", min: 1 }] },
    path: "spec.thresholds[0]",
    message: "missingWorkers supports only max",
  },
  {
    rule: "ThresholdInvalid",
    spec: { thresholds: [{ metric: "totalRequests", min: 5, max: 4 }] },
    path: "spec.thresholds[0]",
    message: "min must not be greater than max",
  },
  {
    rule: "ThresholdInvalid",
    spec: { thresholds: [{ metric: "luck" as "failRatio", max: 4 }] },
    path: "spec.thresholds[0]",
    message: 'unknown metric "luck"',
  },
];

describe("testProblems", () => {
  for (const { rule, spec, name, path, message } of refusals) {
    it(`${rule}: ${message.slice(0, 70)}`, () => {
      assert.deepEqual(problemsOf(testWith(spec, name)), [{ rule, path, message }]);
    });
  }

  it("NameNotALabelValue: a name that is not a label value", () => {
    const rules = problemsOf(testWith({}, "a".repeat(64))).map(({ rule }) => rule);

    assert.deepEqual(rules, ["NameTooLong", "NameNotALabelValue"]);
  });

  it("accepts a valid test", () => {
    assert.deepEqual(problemsOf(testWith()), []);
    assert.deepEqual(problemsOf(testWith({}, "a".repeat(56))), []);
    assert.deepEqual(problemsOf(testWith({ worker: { command: "--autostart --autoquit 5", replicas: 1 } })), []);
  });

  it("reserves only the paths that are used, and treats mounts of the roles separately", () => {
    assert.deepEqual(
      problemsOf(testWith({ ...mounted("v", "/opt/locust/lib"), testFiles: { configMapRef: "a" } })),
      [],
    );
    assert.deepEqual(problemsOf(testWith(mounted("v", "/lotest/srcs"))), []);
    const volumeMounts = [
      { name: "v", mountPath: "/v", target: "master" as const },
      { name: "v", mountPath: "/v", target: "worker" as const },
    ];
    assert.deepEqual(problemsOf(testWith({ volumes: [volume("v")], volumeMounts })), []);
    const own = { ...mounted("v", "/lotest/src"), testFiles: { configMapRef: "a", srcMountPath: "/mine" } };
    assert.deepEqual(problemsOf(testWith(own)), []);
    assert.equal(
      problemsOf(testWith(mounted("v", "/")))[0]?.rule,
      "VolumeMountOnReservedPath",
      "the root is above everything",
    );
  });

  it("returns all problems at once", () => {
    const problems = problemsOf(
      testWith(
        {
          image: " ",
          master: { command: "--worker" },
          volumes: [volume("secret-a"), volume("secret-a")],
          volumeMounts: [{ name: "none", mountPath: "/lotest" }],
          thresholds: [{ metric: "failRatio" }],
        },
        `9${"x".repeat(60)}`,
      ),
    );

    assert.deepEqual(
      problems.map(({ rule }) => rule),
      [
        "NameTooLong",
        "NameNotAServiceName",
        "FieldBlank",
        "FlagNotAllowed",
        "VolumePrefixReserved",
        "VolumePrefixReserved",
        "VolumeNameUsedTwice",
        "VolumeMountOnReservedPath",
        "VolumeUndefined",
        "ThresholdInvalid",
      ],
    );
    assert.match(
      describeProblems(problems),
      /^metadata\.name: name .*; spec\.image must not be blank; .*set min or max$/,
    );
  });

  it("is fast and returns short messages for large and unusual tests", () => {
    const path = `/${"\u0000x".repeat(50_000)}`;
    const many = Array.from({ length: 2_000 }, (_, index) => ({ name: `__proto__${index % 7}`, mountPath: path }));
    const test = testWith({ volumeMounts: many, env: { secretMounts: many } });

    const problems = problemsOf(test);

    assert.ok(problems.length > 2_000);
    assert.ok(describeProblems(problems).length <= 4096);
    assert.ok(problems.every(({ message }) => message.length < 2_000));
  });
});

const warned: [string, Partial<Spec>, string, RegExp][] = [
  ["the word locust", { master: { command: "locust -t 1m" } }, "spec.master.command", /starts with locust/],
  ["quotes", { worker: { command: `-f "a b"`, replicas: 1 } }, "spec.worker.command", /quotes/],
  ["no run time", { master: { command: "-f a" } }, "spec.master.command", /no --run-time/],
  ["autoquit without autostart", { master: { ...master, autostart: false } }, "spec.master.autoquit", /has no effect/],
  ["headless", { master: { command: "-t 1m --headless" } }, "spec.master", /no live statistics/],
  ["affinity while injection is off", { scheduling: { affinity: {} } }, "spec.scheduling.affinity", /is ignored/],
  [
    "tolerations while injection is off",
    { scheduling: { tolerations: [{ operator: "Exists" }] } },
    "spec.scheduling.tolerations",
    /is ignored/,
  ],
  [
    "OpenTelemetry with an image that may lack it",
    { observability: { openTelemetry: { enabled: true, endpoint: "http://o" } } },
    "spec.image",
    /OpenTelemetry/,
  ],
  [
    "a quick autoquit with thresholds",
    { master: { ...master, autoquit: { timeout: 5 } }, thresholds: [{ metric: "failRatio", max: 1 }] },
    "spec.master.autoquit.timeout",
    /final statistics/,
  ],
];

describe("testWarnings", () => {
  for (const [title, spec, path, message] of warned) {
    it(`warns about ${title}`, () => {
      const warnings = testWarnings(testWith(spec), { settings });

      assert.deepEqual(
        warnings.map((warning) => warning.path),
        [path],
      );
      assert.match(warnings[0]?.message ?? "", message);
    });
  }

  it("warns about a change of a test that has started", () => {
    const old: LocustTest = { ...testWith(), status: { phase: "Running" } };

    assert.deepEqual(
      testWarnings(testWith({ image: "other" }), { settings, old }).map(({ path }) => path),
      ["spec"],
    );
    assert.deepEqual(testWarnings(testWith({ image: "other" }), { settings, old: testWith() }), []);
  });

  it("returns no warnings for an unremarkable test", () => {
    const injecting = readSettings({
      ENABLE_AFFINITY_CR_INJECTION: "1",
      ENABLE_TAINT_TOLERATIONS_CR_INJECTION: "1",
    }).settings;
    const quiet: Partial<Spec>[] = [
      {},
      { master: { command: "-f a" }, timeoutSeconds: 60 },
      { master: { command: "-f a" }, env: { secretRefs: [{ name: "may-say-it" }] } },
      { master: { command: "-f a" }, env: { variables: [{ name: "LOCUST_RUN_TIME", value: "5m" }] } },
      { image: "my-otel", observability: { openTelemetry: { enabled: true, endpoint: "x" } } },
      { scheduling: { affinity: {}, tolerations: [{ operator: "Exists" }] } },
    ];

    for (const spec of quiet) assert.deepEqual(testWarnings(testWith(spec), { settings: injecting }), []);
  });
});

async function admit(
  object: unknown,
  old?: unknown,
): Promise<{ allowed: boolean; message: string; warnings: string[] }> {
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      kind: { group: "locust.io", version: "v2", kind: "LocustTest" },
      resource: { group: "locust.io", version: "v2", resource: "locusttests" },
      namespace: "perf",
      name: "shop",
      operation: old === undefined ? "CREATE" : "UPDATE",
      userInfo: { username: "me" },
      object,
      ...(old !== undefined && { oldObject: old }),
    },
  };
  const { signal } = new AbortController();
  const { body } = await handleAdmissionReview(
    locustWebhook({ settings }),
    new TextEncoder().encode(JSON.stringify(review)),
    {
      signal,
    },
  );
  const { response } = JSON.parse(body) as {
    response: { allowed: boolean; status?: { message: string }; warnings?: string[] };
  };
  const { allowed, status, warnings = [] } = response;
  return { allowed, message: status?.message ?? "", warnings };
}

describe("the webhook", () => {
  const bad = testWith({ image: "", volumes: [volume("secret-a")] }, "1-shop");

  it("denies a test with all problems and their paths, in the controller's words", async () => {
    const { allowed, message } = await admit(bad);

    assert.equal(allowed, false);
    assert.equal(message, describeProblems(problemsOf(bad)));
    assert.match(message, /^metadata\.name: .*; spec\.image must not be blank; spec\.volumes\[0\]\.name: /);
  });

  it("returns the same message as the controller, also if it is long", async () => {
    const path = `/lotest/src/${"\u0001".repeat(400)}`;
    const many = Array.from({ length: 150 }, (_, index) => ({ name: `v${index}`, mountPath: `${path}${index}` }));
    for (const count of [1, 3, 150]) {
      const test = testWith({ volumeMounts: many.slice(0, count), env: { secretMounts: many.slice(0, count) } });

      assert.equal((await admit(test)).message, describeProblems(problemsOf(test)));
    }
  });

  it("allows a test with warnings", async () => {
    const { allowed, warnings } = await admit(testWith({ master: { command: "locust -f a" } }));

    assert.equal(allowed, true);
    assert.equal(warnings.length, 2);
  });

  it("allows an update without a change of the spec, even if the spec is invalid", async () => {
    const labelled = { ...bad, metadata: { ...bad.metadata, labels: { a: "b" }, finalizers: [] } };

    assert.deepEqual(await admit(labelled, bad), { allowed: true, message: "", warnings: [] });
  });

  it("validates an update that changes the spec", async () => {
    const { allowed } = await admit(testWith({ image: "" }), testWith());

    assert.equal(allowed, false);
  });

  it("validates a converted v1 request, which has no v2 defaults yet", async () => {
    const spec = { masterCommandSeed: "locust -f a", workerCommandSeed: " ", workerReplicas: 1, image: "locust" };
    const v1 = { apiVersion: "locust.io/v1", kind: "LocustTest", metadata: { name: "shop", namespace: "perf" }, spec };

    const { allowed, message, warnings } = await admit(conversion.convert(v1, "locust.io/v2").object);

    assert.equal(allowed, false);
    assert.equal(message, "spec.worker.command must not be blank");
    assert.equal(warnings.length, 2);
  });

  it("is registered for v2 only, with equivalent versions, on create and update", () => {
    const { validating } = webhookManifests({
      name: "locust",
      webhooks: [locustWebhook({ settings })],
      location: { service: { namespace: "locust", name: "locust" } },
      ownNamespace: "locust",
      timeoutSeconds: 10,
    });
    const [webhook] = validating?.webhooks ?? [];

    assert.equal(webhook?.clientConfig.service?.path, "/validate-locust-io-v2-locusttest");
    assert.deepEqual(webhook?.rules, [
      {
        apiGroups: ["locust.io"],
        apiVersions: ["v2"],
        operations: ["CREATE", "UPDATE"],
        resources: ["locusttests"],
        scope: "Namespaced",
      },
    ]);
    const { matchPolicy, failurePolicy, sideEffects, admissionReviewVersions, timeoutSeconds } = webhook ?? {};
    assert.deepEqual(
      [matchPolicy, failurePolicy, sideEffects, admissionReviewVersions, timeoutSeconds],
      ["Equivalent", "Fail", "None", ["v1"], 10],
    );
  });
});

// Random tests of both versions for the conversion laws.

import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import fc from "fast-check";
import type { LocustTestInput } from "../api/locust-test.ts";
import { metrics } from "../api/spec.ts";
import { conversion } from "../webhooks/conversion.ts";
import { normalized } from "../webhooks/same-spec.ts";

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const key = fc.oneof(
  { weight: 9, arbitrary: word },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "toString") },
);
const text = fc.oneof(word, fc.string({ maxLength: 12 }));
// Object.fromEntries defines properties, so that `__proto__` stays a key.
const texts = fc.array(fc.tuple(key, text), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc
    .record(fields)
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)));
const list = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 3 });
const replicas = fc.integer({ min: 1, max: 500 });
const policy = fc.constantFrom("Always", "IfNotPresent", "Never");
const effect = fc.constantFrom("NoSchedule", "PreferNoSchedule", "NoExecute");
const flag = fc.boolean();

const quantities = fc.dictionary(fc.constantFrom("cpu", "memory"), fc.constantFrom("1", "500m", "1Gi"));
const role = {
  command: text,
  resources: some(record({ limits: some(quantities), requests: some(quantities) })),
  labels: some(texts),
  annotations: some(texts),
  extraArgs: some(list(text)),
};

const expression = record({
  key: word,
  operator: fc.constantFrom("In", "NotIn", "Exists"),
  values: some(list(word)),
});
const affinity = record({
  nodeAffinity: some(
    record({
      requiredDuringSchedulingIgnoredDuringExecution: some(
        record({ nodeSelectorTerms: list(record({ matchExpressions: some(list(expression)) })) }),
      ),
    }),
  ),
  podAntiAffinity: some(fc.constant({})),
});
const toleration = record({
  key: some(word),
  operator: some(fc.constantFrom("Exists", "Equal")),
  value: some(word),
  effect: some(effect),
  tolerationSeconds: some(fc.integer({ min: 0, max: 100 })),
});

/** The spec of a v2 test, with any fields. */
export const specV2: fc.Arbitrary<object> = record({
  image: text,
  imagePullPolicy: some(policy),
  imagePullSecrets: some(list(record({ name: some(word) }))),
  master: record({
    ...role,
    autostart: some(flag),
    autoquit: some(record({ enabled: some(flag), timeout: some(fc.nat({ max: 100 })) })),
  }),
  worker: record({ ...role, replicas, backoffLimit: some(fc.nat({ max: 10 })), ignoreDisruptions: some(flag) }),
  testFiles: some(
    record({
      configMapRef: some(fc.oneof(word, fc.constant(""))),
      libConfigMapRef: some(word),
      srcMountPath: some(word),
      libMountPath: some(word),
    }),
  ),
  scheduling: some(
    record({
      affinity: some(affinity),
      tolerations: some(list(toleration)),
      nodeSelector: some(texts),
      runtimeClassName: some(
        fc.oneof(
          word.map((name) => `a${name.replaceAll("-", "")}`),
          fc.constant(""),
        ),
      ),
    }),
  ),
  env: some(
    record({
      configMapRefs: some(list(record({ name: word, prefix: some(word) }))),
      variables: some(list(record({ name: word, value: some(text) }))),
      secretMounts: some(list(record({ name: word, mountPath: word, readOnly: some(flag) }))),
    }),
  ),
  volumes: some(list(record({ name: word, emptyDir: fc.constant({}) }))),
  volumeMounts: some(
    list(record({ name: word, mountPath: word, target: some(fc.constantFrom("master", "worker", "both")) })),
  ),
  security: some(
    record({ podSecurityContext: some(fc.constant({})), containerSecurityContext: some(fc.constant({})) }),
  ),
  observability: some(
    record({ openTelemetry: some(record({ enabled: some(flag), extraEnvVars: some(texts), insecure: some(flag) })) }),
  ),
  liveStats: some(record({ enabled: some(flag), intervalSeconds: some(fc.integer({ min: 2, max: 300 })) })),
  thresholds: some(list(record({ metric: fc.constantFrom(...metrics), max: fc.nat(), abortOnFail: some(flag) }))),
  timeoutSeconds: some(fc.integer({ min: 1, max: 1000 })),
  webUI: some(record({ expose: some(fc.constantFrom("None", "Service")), annotations: some(texts) })),
  results: some(record({ store: some(fc.constantFrom("None", "ConfigMap")) })),
});

const perRole = record({ master: some(texts), worker: some(texts) });

/** The spec of a v1 test, with any fields. */
export const specV1: fc.Arbitrary<object> = record({
  masterCommandSeed: text,
  workerCommandSeed: text,
  workerReplicas: replicas,
  image: text,
  imagePullPolicy: some(policy),
  imagePullSecrets: some(list(word)),
  configMap: some(fc.oneof(word, fc.constant(""))),
  libConfigMap: some(word),
  labels: some(perRole),
  annotations: some(perRole),
  affinity: some(
    record({
      nodeAffinity: some(record({ requiredDuringSchedulingIgnoredDuringExecution: some(texts) })),
    }),
  ),
  tolerations: some(
    list(record({ key: word, operator: fc.constantFrom("Exists", "Equal"), value: some(word), effect })),
  ),
});

/** A v1 field with a new value, and the path of the corresponding v2 field. */
export interface Edit {
  readonly name: string;
  readonly value: unknown;
  readonly at: readonly string[];
}

/** A random edit through v1. Its values never occur in random tests. */
export const edit: fc.Arbitrary<Edit> = fc.constantFrom<Edit>(
  { name: "image", value: "NEW", at: ["image"] },
  { name: "masterCommandSeed", value: "NEW", at: ["master", "command"] },
  { name: "workerCommandSeed", value: "NEW", at: ["worker", "command"] },
  { name: "workerReplicas", value: 499, at: ["worker", "replicas"] },
  { name: "imagePullSecrets", value: ["NEW"], at: ["imagePullSecrets"] },
  { name: "configMap", value: "NEW", at: ["testFiles", "configMapRef"] },
  { name: "libConfigMap", value: "NEW", at: ["testFiles", "libConfigMapRef"] },
  {
    name: "affinity",
    value: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { NEW: "NEW" } } },
    at: ["scheduling", "affinity"],
  },
  {
    name: "tolerations",
    value: [{ key: "NEW", operator: "Exists", effect: "NoExecute" }],
    at: ["scheduling", "tolerations"],
  },
);

/** An object with a spec, in any version. */
export interface Loose {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; annotations?: Record<string, string>; labels?: Record<string, string> };
  spec: JsonRecord;
  status?: unknown;
}

/** Returns a test of a version. */
export function object(apiVersion: string, spec: object, more: Partial<Loose> = {}): Loose {
  return { apiVersion, kind: "LocustTest", metadata: { name: "shop", namespace: "perf" }, spec: { ...spec }, ...more };
}

/** Converts a test to another version. */
export function to(apiVersion: string, from: unknown): Loose {
  return conversion.convert(from, apiVersion).object as unknown as Loose;
}

/** Returns the normalized spec of a v2 test. */
export function normalOf({ spec }: Loose): unknown {
  return normalized(spec as unknown as LocustTestInput["spec"]);
}

/** Returns the value at a path. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, step) => (isRecord(inner) ? ownValue(inner, step) : undefined), value);
}

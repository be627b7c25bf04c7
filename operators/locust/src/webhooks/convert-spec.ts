// Converts the spec of a test between v1 and v2, and merges an edit through v1 into a v2 spec.

import { isEqual, type JsonRecord, readPointer, withoutUndefined, withPointer } from "@homeostat/core";
import type { LocustTestInput, LocustTestV1, LocustTestV1Input } from "../api/locust-test.ts";

type SpecV1 = LocustTestV1Input["spec"];
type SpecV2 = LocustTestInput["spec"];
type TolerationV1 = NonNullable<SpecV1["tolerations"]>[number];
type Texts = Record<string, string>;

/** Converts a v1 spec to v2. It adds only the defaults that v1 implies: autostart and autoquit. */
export function toV2Spec(spec: LocustTestV1["spec"]): SpecV2 {
  const { imagePullPolicy, imagePullSecrets = [], labels, annotations, configMap = "", libConfigMap = "" } = spec;
  const scheduling = toV2Scheduling(spec);
  return {
    image: spec.image,
    // Objects of older versions may have an empty string.
    ...(imagePullPolicy && { imagePullPolicy }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    master: {
      command: spec.masterCommandSeed,
      ...withoutUndefined({ labels: labels?.master, annotations: annotations?.master }),
      autostart: true,
      autoquit: { enabled: true, timeout: 60 },
    },
    worker: {
      command: spec.workerCommandSeed,
      replicas: spec.workerReplicas,
      ...withoutUndefined({ labels: labels?.worker, annotations: annotations?.worker }),
    },
    ...((configMap !== "" || libConfigMap !== "") && {
      testFiles: {
        ...(configMap !== "" && { configMapRef: configMap }),
        ...(libConfigMap !== "" && { libConfigMapRef: libConfigMap }),
      },
    }),
    ...withoutUndefined({ scheduling }),
  };
}

function toV2Scheduling({ affinity, tolerations = [] }: SpecV1): SpecV2["scheduling"] {
  if (affinity === undefined && tolerations.length === 0) return undefined;
  const nodeLabels = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const matchExpressions = Object.keys(nodeLabels)
    .sort()
    .map((key) => ({ key, operator: "In" as const, values: [nodeLabels[key] ?? ""] }));
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  return {
    ...(matchExpressions.length > 0 && {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    }),
    ...(tolerations.length > 0 && { tolerations: tolerations.map((toleration) => ({ ...toleration })) }),
  };
}

/** Converts as much of a v2 spec as v1 can express. */
export function toV1Spec(spec: SpecV2): SpecV1 {
  const { master, worker, testFiles, imagePullSecrets = [] } = spec;
  const labels = perRole(master.labels, worker.labels);
  const annotations = perRole(master.annotations, worker.annotations);
  const nodeLabels = toV1NodeLabels(spec);
  const tolerations = toV1Tolerations(spec);
  return {
    image: spec.image,
    ...withoutUndefined({ imagePullPolicy: spec.imagePullPolicy }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map(({ name = "" }) => name) }),
    masterCommandSeed: master.command,
    workerCommandSeed: worker.command,
    workerReplicas: worker.replicas,
    ...withoutUndefined({
      labels,
      annotations,
      configMap: testFiles?.configMapRef,
      libConfigMap: testFiles?.libConfigMapRef,
    }),
    ...(nodeLabels !== undefined && {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nodeLabels } },
    }),
    ...(tolerations.length > 0 && { tolerations }),
  };
}

function perRole(master: Texts = {}, worker: Texts = {}): { master?: Texts; worker?: Texts } | undefined {
  const isEmpty = (texts: Texts): boolean => Object.keys(texts).length === 0;
  if (isEmpty(master) && isEmpty(worker)) return undefined;
  return { ...(!isEmpty(master) && { master }), ...(!isEmpty(worker) && { worker }) };
}

/** Returns key and first value of every `In` expression; the last one wins for a repeated key. */
function toV1NodeLabels({ scheduling }: SpecV2): Texts | undefined {
  const required = scheduling?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const found = (required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key, operator, values: [first] = [] }): [string, string][] =>
      operator === "In" && first !== undefined ? [[key, first]] : [],
    ),
  );
  // Object.fromEntries defines properties, so a key such as `__proto__` stays a key.
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Returns the tolerations that are valid in v1. With others, the object could not be updated through v1 at all. */
function toV1Tolerations({ scheduling }: SpecV2): TolerationV1[] {
  return (scheduling?.tolerations ?? []).flatMap(({ key, operator = "Equal", value, effect }): TolerationV1[] => {
    if (key === undefined || (operator !== "Exists" && operator !== "Equal")) return [];
    if (effect !== "NoSchedule" && effect !== "PreferNoSchedule" && effect !== "NoExecute") return [];
    return [{ key, operator, ...(value !== undefined && { value }), effect }];
  });
}

/** Pairs of corresponding v1 and v2 fields. An empty v1 value equals a missing one. */
const fields: readonly { readonly v1: (spec: SpecV1) => unknown; readonly v2: readonly [string, ...string[]] }[] = [
  { v1: ({ image }) => image, v2: ["image"] },
  { v1: ({ imagePullPolicy = "" }) => imagePullPolicy, v2: ["imagePullPolicy"] },
  { v1: ({ imagePullSecrets = [] }) => imagePullSecrets, v2: ["imagePullSecrets"] },
  { v1: ({ masterCommandSeed }) => masterCommandSeed, v2: ["master", "command"] },
  { v1: ({ workerCommandSeed }) => workerCommandSeed, v2: ["worker", "command"] },
  { v1: ({ workerReplicas = 1 }) => workerReplicas, v2: ["worker", "replicas"] },
  { v1: ({ labels }) => labels?.master ?? {}, v2: ["master", "labels"] },
  { v1: ({ labels }) => labels?.worker ?? {}, v2: ["worker", "labels"] },
  { v1: ({ annotations }) => annotations?.master ?? {}, v2: ["master", "annotations"] },
  { v1: ({ annotations }) => annotations?.worker ?? {}, v2: ["worker", "annotations"] },
  { v1: ({ configMap = "" }) => configMap, v2: ["testFiles", "configMapRef"] },
  { v1: ({ libConfigMap = "" }) => libConfigMap, v2: ["testFiles", "libConfigMapRef"] },
  {
    v1: ({ affinity }) => affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {},
    v2: ["scheduling", "affinity"],
  },
  { v1: ({ tolerations = [] }) => tolerations, v2: ["scheduling", "tolerations"] },
];

/** Returns the kept v2 spec with the fields that were edited through v1, and nothing else changed. */
export function mergeV1Edit({ kept, edited }: { kept: SpecV2; edited: LocustTestV1["spec"] }): JsonRecord {
  const before = toV1Spec(kept);
  const next = { ...toV2Spec(edited) };
  return fields.reduce<JsonRecord>(
    (result, { v1, v2 }) => (isEqual(v1(before), v1(edited)) ? result : withPointer(result, v2, readPointer(next, v2))),
    { ...kept },
  );
}

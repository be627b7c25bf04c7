// Which field of v1 is which field of v2, for who puts a changed v1 object and a kept v2 spec together.

import { isEqual, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import type { LocustTestV1Input } from "../api/locust-test.ts";

type SpecV1 = LocustTestV1Input["spec"];

interface Row {
  /** The value in v1; what is empty and what is missing is the same. */
  readonly v1: (spec: SpecV1) => unknown;
  /** The path in v2. */
  readonly v2: readonly [string, ...string[]];
}

const rows: readonly Row[] = [
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

/** What to put together. */
export interface Merging {
  /** The v2 spec that was kept. */
  readonly kept: JsonRecord;
  /** What v1 said about it. */
  readonly before: SpecV1;
  /** What v1 says now. */
  readonly now: SpecV1;
  /** The v2 form of that. */
  readonly next: JsonRecord;
}

/** The kept v2 spec with what was changed through v1, and nothing else changed. */
export function mergeRows({ kept, before, now, next }: Merging): JsonRecord {
  return rows.reduce(
    (result, { v1, v2 }) => (isEqual(v1(before), v1(now)) ? result : withValue(result, v2, valueAt(next, v2))),
    kept,
  );
}

function valueAt(record: JsonRecord, [first, ...rest]: readonly string[]): unknown {
  const value = first === undefined ? record : ownValue(record, first);
  if (rest.length === 0) return value;
  return isRecord(value) ? valueAt(value, rest) : undefined;
}

/** A copy with another value at a path; without one where it is undefined. All steps are names from the table above. */
function withValue(record: JsonRecord, [first, ...rest]: readonly string[], value: unknown): JsonRecord {
  if (first === undefined) return record;
  const inner = ownValue(record, first);
  if (rest.length > 0) {
    if (!isRecord(inner) && value === undefined) return record;
    return { ...record, [first]: withValue(isRecord(inner) ? inner : {}, rest, value) };
  }
  if (value !== undefined) return { ...record, [first]: value };
  const { [first]: _, ...others } = record;
  return others;
}

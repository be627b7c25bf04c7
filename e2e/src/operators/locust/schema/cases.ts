// The table of valid and invalid LocustTests, shared with the unit tests of the operator.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { LocustTest } from "@homeostat/locust-operator";
import { repository } from "../../../harness/repository.ts";

/** One row: a change to a minimal LocustTest, and the expected response of the API server. */
export interface Case {
  readonly version: "v1" | "v2";
  readonly title: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  /** Expected values at these paths of the stored object; null if absent. */
  readonly expect?: Readonly<Record<string, unknown>>;
  /** Part of the error message of the API server. */
  readonly refused?: string;
}

const file = join(repository, "operators/locust/src/testing/schema.json");

/** All rows. */
export const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];

/** Minimal specs that the rows change. */
export const small = {
  v1: { image: "i", masterCommandSeed: "m", workerCommandSeed: "w", workerReplicas: 2 },
  v2: { image: "i", master: { command: "m" }, worker: { command: "w", replicas: 2 } },
};

/** Returns the group of a CRD that has only one version. */
export function groupOf(version: "v1" | "v2"): string {
  return `${version}.${LocustTest.group}`;
}

/** Returns the CRD with one version only: both versions would need a conversion webhook. */
export function alone(version: "v1" | "v2"): object {
  const crd = LocustTest.crd();
  const group = groupOf(version);
  const versions = crd.spec.versions
    .filter(({ name }) => name === version)
    .map((each) => ({ ...each, served: true, storage: true }));
  return { ...crd, metadata: { name: `locusttests.${group}` }, spec: { ...crd.spec, group, versions } };
}

/** Returns the object of a row. */
export function objectOf({ version, set, unset = [] }: Case): JsonRecord {
  const spec: JsonRecord = structuredClone(small[version]);
  for (const [path, value] of Object.entries(set)) put(spec, path.split("."), value);
  for (const path of unset) put(spec, path.split("."), undefined);
  return { apiVersion: `${groupOf(version)}/${version}`, kind: "LocustTest", metadata: { name: "a" }, spec };
}

function put(record: JsonRecord, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = ownValue(record, first);
    const next = isRecord(inner) ? inner : {};
    record[first] = next;
    put(next, rest, value);
  } else if (value === undefined) delete record[first];
  else record[first] = value;
}

/** Returns the value at a path such as `worker.replicas`. */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner: unknown, step) => (isRecord(inner) ? ownValue(inner, step) : undefined), value);
}

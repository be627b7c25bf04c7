// The table of what the schema of a LocustTest takes and refuses, which the operator's own tests use too.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { LocustTest } from "@homeostat/locust-operator";
import { repository } from "../../../harness/repository.ts";

/** One row: what is changed of a small test, and what an API server makes of it. */
export interface Case {
  readonly version: "v1" | "v2";
  readonly title: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  /** What is read at these paths; null for nothing. */
  readonly expect?: Readonly<Record<string, unknown>>;
  /** A part of what the server says when it refuses. */
  readonly refused?: string;
}

const file = join(repository, "operators/locust/src/testing/schema.json");

/** All rows. */
export const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];

/** The specs that rows change. */
export const small = {
  v1: { image: "i", masterCommandSeed: "m", workerCommandSeed: "w", workerReplicas: 2 },
  v2: { image: "i", master: { command: "m" }, worker: { command: "w", replicas: 2 } },
};

/** The group that a version of the definition has where it stands alone. */
export function groupOf(version: "v1" | "v2"): string {
  return `${version}.${LocustTest.group}`;
}

/** The definition with one version alone: both in one would need somebody who converts between them. */
export function alone(version: "v1" | "v2"): object {
  const crd = LocustTest.crd();
  const group = groupOf(version);
  const versions = crd.spec.versions
    .filter(({ name }) => name === version)
    .map((each) => ({ ...each, served: true, storage: true }));
  return { ...crd, metadata: { name: `locusttests.${group}` }, spec: { ...crd.spec, group, versions } };
}

/** The object of a row. */
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

/** What stands at a path: `worker.replicas`. */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner: unknown, step) => (isRecord(inner) ? ownValue(inner, step) : undefined), value);
}

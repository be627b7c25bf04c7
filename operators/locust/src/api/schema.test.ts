import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { startCluster, type Cluster } from "@homeostat/cluster";
import { InvalidError, isRecord, type JsonRecord, type KubeObject, ownValue, type ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { LocustTest } from "./locust-test.ts";

/** One case of `testing/schema.json`: a change of a minimal test, and the expected response of the API server. */
interface Case {
  readonly version: "v1" | "v2";
  readonly title: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  /** Expected values by path; null for an absent field. */
  readonly expect?: Readonly<Record<string, unknown>>;
  /** Part of the expected error message; undefined if the object is accepted. */
  readonly refused?: string;
}

const cases = JSON.parse(readFileSync(new URL("../../src/testing/schema.json", import.meta.url), "utf8")) as Case[];
const small = {
  v1: { image: "i", masterCommandSeed: "m", workerCommandSeed: "w", workerReplicas: 2 },
  v2: { image: "i", master: { command: "m" }, worker: { command: "w", replicas: 2 } },
};

function specOf({ version, set, unset = [] }: Case): JsonRecord {
  const spec: JsonRecord = structuredClone(small[version]);
  for (const [path, value] of Object.entries(set)) put(spec, path.split("."), value);
  for (const path of unset) put(spec, path.split("."), undefined);
  return spec;
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

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner: unknown, step) => (isRecord(inner) ? ownValue(inner, step) : undefined), value);
}

/**
 * Returns the CRD with a single version, in another group.
 *
 * A CRD with both versions would need a conversion webhook.
 */
function alone(version: "v1" | "v2"): { crd: CustomResourceDefinition; type: ResourceType } {
  const group = `${version}.${LocustTest.group}`;
  const crd = JSON.parse(JSON.stringify(LocustTest.crd())) as CustomResourceDefinition;
  const versions = crd.spec.versions
    .filter(({ name }) => name === version)
    .map((each) => ({ ...each, served: true, storage: true }));
  return {
    crd: { ...crd, metadata: { name: `locusttests.${group}` }, spec: { ...crd.spec, group, versions } },
    type: { ...LocustTest.versions[version], group },
  };
}

describe("the schema on the embedded API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    for (const version of ["v1", "v2"] as const) await client.create(CustomResourceDefinition, alone(version).crd);
  });
  after(async () => {
    client[Symbol.dispose]();
    await cluster.stop();
  });

  const create = async (one: Case): Promise<KubeObject> => {
    const { type } = alone(one.version);
    const object = {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { name: "a", namespace: "default" },
      spec: specOf(one),
    };
    return client.create(type, object, { dryRun: true, fieldValidation: "Strict" });
  };

  for (const one of cases) {
    it(`${one.version} ${one.title}`, async () => {
      const { expect, refused } = one;
      if (refused !== undefined) {
        await assert.rejects(create(one), (error) => error instanceof InvalidError && error.message.includes(refused));
        return;
      }

      const { spec } = (await create(one)) as KubeObject & { spec: unknown };

      for (const [path, value] of Object.entries(expect ?? {})) assert.deepEqual(at(spec, path) ?? null, value, path);
    });
  }
});

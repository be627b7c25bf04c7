// Random custom resources, written by three managers with every kind of write, on the real server and on the model.

import assert from "node:assert/strict";
import { SeededRandom } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { volume } from "../../../harness/volume.ts";
import type { Client } from "./client.ts";
import { counted, differences, run, shrink, type Subject } from "./compare.ts";
import { Model } from "./model.ts";
import { randomOperations } from "./operations.ts";
import { randomSchema, variantOf } from "./random-schema.ts";

export const group = "apply.homeostat.test";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const seconds = volume({ sample: 6, full: 15 }, "HOMEOSTAT_APPLY_SECONDS");
const seed = process.env["HOMEOSTAT_APPLY_SEED"] ?? "1";
const kinds = 12;
const length = 30;

/** Writes to random custom resources until the time is up. Fails with the shortest differing sequence. */
export async function compareCustomResources(client: Client): Promise<void> {
  const subjects = await Promise.all(Array.from({ length: kinds }, (_, n) => subject(client, n)));
  const end = Date.now() + seconds * 1_000;
  let next = 0;

  const work = async (): Promise<void> => {
    while (Date.now() < end) {
      const n = (next += 1);
      const { schemas, on } = subjects[n % kinds] ?? assert.fail();
      const operations = randomOperations(
        { schemas, typeMeta: on.typeMeta },
        new SeededRandom(`${seed}/operations/${n}`),
        length,
      );
      const difference = await run(on, operations);
      if (difference === undefined) continue;
      const shortest = await shrink(on, operations.slice(0, difference.at + 1), 150);
      const again = (await run(on, shortest)) ?? difference;
      assert.fail(
        [
          `sequence ${n} of seed ${seed} differs:`,
          ...differences(again.real, again.ours),
          `response of the real server: ${again.response}`,
          "after",
          ...shortest.map((operation) => JSON.stringify(operation)),
          `with the schemas ${JSON.stringify(schemas)}`,
        ].join("\n"),
      );
    }
  };
  // Several in parallel, because the real server mostly waits for its disk.
  await Promise.all(Array.from({ length: 4 }, work));

  assert.ok(counted.operations >= seconds * 5, `only ${counted.operations} operations were compared`);
  assert.ok(counted.accepted > 0 && counted.conflicts > 0 && counted.refused > 0, JSON.stringify(counted));
  if (process.env["HOMEOSTAT_APPLY_REPORT"] !== undefined) process.stderr.write(`${JSON.stringify(counted)}\n`);
}

async function subject(client: Client, n: number): Promise<{ schemas: Record<string, Schema>; on: Subject }> {
  const random = new SeededRandom(`${seed}/schema/${n}`);
  const schema = randomSchema(random);
  const inTwo = n % 2 === 0 ? schema : variantOf(schema, random);
  const schemas: Record<string, Schema> = n % 3 === 0 ? { v1: schema, v2: inTwo } : { v1: schema };
  const kind = `Kind${n}`;
  const plural = `kind${n}s`;
  await define(client, kind, plural, schemas);
  const on: Subject = {
    client,
    collection: (version) => `/apis/${group}/${version}/namespaces/default/${plural}`,
    typeMeta: (version) => ({ apiVersion: `${group}/${version}`, kind }),
    model: () => new Model(group, kind, schemas),
  };
  return { schemas, on };
}

export async function define(
  client: Client,
  kind: string,
  plural: string,
  schemas: Readonly<Record<string, Schema>>,
): Promise<void> {
  const body = definition(kind, plural, schemas);
  const result = await client.send({ method: "POST", path: definitions, body });
  assert.equal(result.status, 201, JSON.stringify(result.body));
  const path = `/apis/${group}/v1/namespaces/default/${plural}`;
  for (let tries = 0; ; tries += 1) {
    assert.ok(tries < 200, `${plural} is not served`);
    const probe = await client.send({ method: "GET", path }).catch(() => undefined);
    if (probe?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Changes the schemas of a resource. */
export async function update(client: Client, plural: string, schemas: Readonly<Record<string, Schema>>): Promise<void> {
  const path = `${definitions}/${plural}.${group}`;
  const { spec } = definition("", plural, schemas);
  const body = { spec: { versions: spec.versions } };
  const result = await client.send({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
  assert.equal(result.status, 200, JSON.stringify(result.body));
}

function definition(kind: string, plural: string, schemas: Readonly<Record<string, Schema>>) {
  const versions = Object.entries(schemas).map(([name, openAPIV3Schema], index) => ({
    name,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: { kind, plural, singular: kind.toLowerCase() }, versions },
  };
}

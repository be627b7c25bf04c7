// A schema in which maps and lists become atomic, and the owners of their fields afterwards.

import assert from "node:assert/strict";
import { isRecord } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import type { Client } from "./client.ts";
import { differences, normal, shownOutcome } from "./compare.ts";
import { define, group, update } from "./custom-resources.ts";
import { Model } from "./model.ts";
import type { Operation } from "./operations.ts";

const kind = "Changing";
const plural = "changings";
const collection = `/apis/${group}/v1/namespaces/default/${plural}`;

function schemas({ isAtomic }: { isAtomic: boolean }): Record<string, Schema> {
  const text: Schema = { type: "string" };
  const item: Schema = { type: "object", properties: { k: text, v: text }, required: ["k"] };
  const listType = (granular: Partial<Schema>): Partial<Schema> =>
    isAtomic ? { "x-kubernetes-list-type": "atomic" } : granular;
  const spec: Schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      map: { type: "object", additionalProperties: text, "x-kubernetes-map-type": isAtomic ? "atomic" : "granular" },
      set: { type: "array", items: text, ...listType({ "x-kubernetes-list-type": "set" }) },
      list: {
        type: "array",
        items: item,
        ...listType({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }),
      },
    },
  };
  return { v1: { type: "object", properties: { spec, status: { type: "object" } } } };
}

const spec = { map: { a: "1", b: "2" }, set: ["x", "y"], list: [{ k: "a", v: "1" }, { k: "b" }] };
const operations: readonly [string, Operation["verb"], Record<string, unknown>, boolean?][] = [
  ["alpha", "apply", spec],
  ["beta", "update", { ...spec, map: { a: "2", c: "3" }, set: ["x", "y", "z"] }],
  ["gamma", "apply", { list: [{ k: "b" }, { k: "c", v: "3" }] }],
];
const afterwards: typeof operations = [
  ["delta", "apply", { n: 1 }],
  ["alpha", "apply", { map: { a: "5" } }],
  ["alpha", "apply", { map: { a: "5" } }, true],
  ["gamma", "apply", { n: 1 }],
  ["beta", "update", { set: ["q"] }],
];

/** Writes, changes the schema, and writes again. */
export async function compareSchemaChange(client: Client): Promise<void> {
  await define(client, kind, plural, schemas({ isAtomic: false }));
  const before = new Model(group, kind, schemas({ isAtomic: false }));
  for (const each of operations) await compare(client, before, each);

  await update(client, plural, schemas({ isAtomic: true }));
  await untilAtomic(client);
  const after = before.with(schemas({ isAtomic: true }));
  for (const each of afterwards) await compare(client, after, each);
}

async function compare(
  client: Client,
  model: Model,
  [manager, verb, content, force = false]: (typeof operations)[number],
): Promise<void> {
  const body = { spec: content, metadata: {} };
  const live = await client.send({ method: "GET", path: `${collection}/one` });
  const { resourceVersion } = isRecord(live.body["metadata"]) ? live.body["metadata"] : {};
  const sent = { ...body, apiVersion: `${group}/v1`, kind, metadata: { name: "one", namespace: "default" } };
  const response = await (verb === "apply"
    ? client.send({
        method: "PATCH",
        path: `${collection}/one?fieldManager=${manager}&force=${force}`,
        body: sent,
        contentType: "application/apply-patch+yaml",
      })
    : client.send({
        method: "PUT",
        path: `${collection}/one?fieldManager=${manager}`,
        body: { ...sent, metadata: { ...sent.metadata, resourceVersion } },
      }));
  const { real, now } = normal(response);
  model.now = now;
  const ours = shownOutcome(model.do({ verb, version: "v1", manager, subresource: "", force, body }, "one"));
  assert.deepEqual(differences(real, ours), [], `${manager} ${verb} ${JSON.stringify(content)}`);
}

/** Waits until the new schema is in effect, that is, until a map has a single owner. */
async function untilAtomic(client: Client): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const probe = await client.send({
      method: "PATCH",
      path: `${collection}/probe?fieldManager=probe&dryRun=All`,
      body: { apiVersion: `${group}/v1`, kind, metadata: { name: "probe" }, spec: { map: { a: "1" } } },
      contentType: "application/apply-patch+yaml",
    });
    if (JSON.stringify(probe.body).includes('"f:map":{}')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("the new schema did not take effect");
}

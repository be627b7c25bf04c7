// Compares the owner of `replicas` when a Deployment is scaled through its scale subresource.

import assert from "node:assert/strict";
import {
  FieldManager,
  keepManagerTimes,
  kindSchema,
  managedFieldsOf,
  MergeTypes,
  type ScaleManagers,
  scaleManagers,
  withManagedFields,
  withoutManagedFields,
} from "@homeostat/apiserver/internal";
import { isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import type { Client } from "./client.ts";
import { counted, differences } from "./compare.ts";

const collection = "/apis/apps/v1/namespaces/default/deployments";
const clock = { at: 0, now: () => clock.at };
const type = new MergeTypes().ofObjects(kindSchema("autoscaling", "v1", "Scale"));
const manager = new FieldManager({
  gvk: { group: "autoscaling", version: "v1", kind: "Scale" },
  subresource: "scale",
  versions: { typeOf: () => type, convert: () => "unknown version" },
  empty: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: {}, spec: {}, status: { replicas: 0 } },
  clock,
});
const paths = new Map([["apps/v1", ["spec", "replicas"]]]);

/** Scales a Deployment by three managers in turn, through the subresource and directly. */
export async function compareScale(client: Client): Promise<void> {
  const random = new SeededRandom("scale");
  const name = "scaled";
  await client.send({
    method: "PATCH",
    path: `${collection}/${name}?fieldManager=owner`,
    body: deployment(name),
    contentType: apply,
  });

  for (let n = 0; n < 60; n += 1) {
    const live = (await client.send({ method: "GET", path: `${collection}/${name}` })).body;
    const by = ["hpa", "person", "owner"][random.int(3)] ?? "";
    const replicas = 1 + random.int(3);
    if (random.int(6) === 0) {
      const body = random.int(2) === 0 ? deployment(name) : { spec: { replicas } };
      const contentType = "metadata" in body ? apply : "application/merge-patch+json";
      await client.send({ method: "PATCH", path: `${collection}/${name}?fieldManager=${by}`, body, contentType });
      continue;
    }
    const isApply = random.int(3) === 0;
    const force = isApply && random.int(2) === 0;
    const config = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name, namespace: "default" },
      spec: { replicas },
    };
    const response = await client.send({
      method: "PATCH",
      path: `${collection}/${name}/scale?fieldManager=${by}${isApply ? `&force=${force}` : ""}`,
      body: isApply ? config : { spec: { replicas } },
      contentType: isApply ? apply : "application/merge-patch+json",
    });
    const after = (await client.send({ method: "GET", path: `${collection}/${name}` })).body;
    counted.operations += 1;
    clock.at = Math.max(clock.at, latest(after));

    const managers = scaleManagers(managedFieldsOf(live), "apps/v1", paths);
    const scale = withManagedFields(scaleOf(live), managers.toScale());
    const result = isApply
      ? manager.apply({ live: scale, config, manager: by, force })
      : {
          object: manager.update({
            live: scale,
            object: { ...withoutManagedFields(scale), spec: { replicas } },
            manager: by,
          }),
        };
    const ours = result.object === undefined ? result.failure?.message : stored(live, managers, result.object);
    const real = response.status < 300 ? managedFieldsOf(after) : response.body["message"];

    assert.deepEqual(
      differences(real, ours),
      [],
      `step ${n}: ${by} wished ${replicas}, before ${JSON.stringify(managedFieldsOf(live))}`,
    );
  }
}

const apply = "application/apply-patch+yaml";

function deployment(name: string): JsonRecord {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

/** Returns the compared part of a stored scale: replicas and their owner. */
function stored(live: JsonRecord, managers: ScaleManagers, scale: JsonRecord): unknown {
  const spec = { ...record(live["spec"]), replicas: record(scale["spec"])["replicas"] };
  const object = withManagedFields({ ...live, spec }, managers.toObject(managedFieldsOf(scale)));
  return managedFieldsOf(keepManagerTimes(live, object));
}

function scaleOf(live: JsonRecord): JsonRecord {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = record(live["metadata"]);
  const { replicas } = record(live["spec"]);
  const status = { replicas: 0, selector: `app=${String(name)}` };
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas }, status };
}

function latest(object: JsonRecord): number {
  return Math.max(0, ...managedFieldsOf(object).map((entry) => Date.parse(String(record(entry)["time"])) || 0));
}

function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

// Built-in kinds: compares the owners of fields after each write. The objects themselves come from the real server.

import assert from "node:assert/strict";
import {
  applyKindDefaults,
  FieldManager,
  kindSchema,
  managedFieldsOf,
  MergeTypes,
  resetFieldsOf,
} from "@homeostat/apiserver/internal";
import { applyMergePatch, isRecord, type JsonRecord, type Random, SeededRandom } from "@homeostat/core";
import { volume } from "../../../harness/volume.ts";
import type { BuiltIn } from "./built-in-kinds.ts";
import type { Client } from "./client.ts";
import { counted, differences } from "./compare.ts";

const seconds = volume({ sample: 3, full: 12 }, "HOMEOSTAT_APPLY_SECONDS") / 3;
const seed = process.env["HOMEOSTAT_APPLY_SEED"] ?? "1";
const length = 30;

/** Writes to objects of a built-in kind until the time is up. */
export async function compareBuiltIn(client: Client, kind: BuiltIn): Promise<void> {
  const end = Date.now() + seconds * 1_000;

  for (let n = 0; Date.now() < end || n === 0; n += 1) {
    await sequence(client, kind, new SeededRandom(`${seed}/${kind.kind}/${n}`), `o${n}`);
  }
}

/** Writes to one object and compares the managers after each write. */
async function sequence(client: Client, kind: BuiltIn, random: Random, name: string): Promise<void> {
  const clock = { at: 0, now: () => clock.at };
  const apiVersion = kind.group === "" ? "v1" : `${kind.group}/v1`;
  const typeMeta = { apiVersion, kind: kind.kind };
  const type = new MergeTypes().ofObjects(kindSchema(kind.group, "v1", kind.kind));
  const manager = new FieldManager({
    gvk: { group: kind.group, version: "v1", kind: kind.kind },
    versions: { typeOf: () => type, convert: () => "unknown version" },
    resetFields: resetFieldsOf(kind.resetFields, [apiVersion]),
    empty: { ...typeMeta, ...kind.empty },
    clock,
  });
  const complete = (object: JsonRecord): JsonRecord =>
    applyKindDefaults(kind.group, "v1", kind.kind, fillIn(asRecord(withoutEmpty(object)), kind.empty));
  let live: JsonRecord | undefined;
  const done: string[] = [];

  for (let n = 0; n < length; n += 1) {
    const by = ["alpha", "beta", "kubectl"][random.int(3)] ?? "";
    const verb = live === undefined ? (["create", "apply"] as const)[random.int(2)] : verbs[random.int(verbs.length)];
    const isWhole = live === undefined || verb === "update" || random.int(3) > 0;
    const content = kind.content(random, isWhole);
    const labels = random.int(2) === 0 ? {} : { labels: { l: String(random.int(2)) } };
    const body = { ...typeMeta, metadata: { name, namespace: "default", ...labels }, ...content };
    const force = verb === "apply" && random.int(2) === 0;
    done.push(JSON.stringify({ verb, by, force, body }));
    const sent = verb === "update" && live !== undefined ? updated(live, body) : body;
    const response = await client.send(request(kind, verb, { name, by, force, body: sent }));
    counted.operations += 1;
    if (response.status === 422) continue;
    if (response.status < 300) clock.at = latestTime(response.body);

    let ours: unknown;
    if (verb === "apply") {
      const { object, failure } = manager.apply({ live, config: body, manager: by, force });
      ours = object === undefined ? failure?.message : managedFieldsOf(object);
    } else {
      const object = complete(verb === "merge" ? asRecord(applyMergePatch(live ?? {}, sent)) : sent);
      ours = managedFieldsOf(manager.update({ live, object, manager: by }));
    }
    const real = response.status < 300 ? managedFieldsOf(response.body) : response.body["message"];
    const found = differences(real, JSON.parse(JSON.stringify(ours)));
    assert.deepEqual(found, [], `${kind.kind} ${name} after\n${done.join("\n")}\nlive was ${JSON.stringify(live)}`);
    if (response.status < 300) live = response.body;
    else if (live === undefined) return;
  }
}

const verbs = ["apply", "apply", "apply", "update", "merge"] as const;

function request(
  kind: BuiltIn,
  verb: "create" | "apply" | "update" | "merge" | undefined,
  { name, by, force, body }: { name: string; by: string; force: boolean; body: unknown },
): { method: string; path: string; body: unknown; contentType?: string } {
  const object = `${kind.collection}/${name}?fieldManager=${by}`;
  if (verb === "create") return { method: "POST", path: `${kind.collection}?fieldManager=${by}`, body };
  if (verb === "update") return { method: "PUT", path: object, body };
  if (verb === "merge") return { method: "PATCH", path: object, body, contentType: "application/merge-patch+json" };
  return { method: "PATCH", path: `${object}&force=${force}`, body, contentType: "application/apply-patch+yaml" };
}

/** Returns an update as clients send it: the object that was read, with other content and without unknown fields. */
function updated(live: JsonRecord, body: JsonRecord): JsonRecord {
  const { managedFields: _, ...metadata } = asRecord(live["metadata"]);
  const spec = isRecord(live["spec"]) && isRecord(body["spec"]) ? { spec: { ...live["spec"], ...body["spec"] } } : {};
  return { ...live, ...body, metadata: { ...metadata, ...asRecord(body["metadata"]) }, ...spec };
}

/** Adds the fields that the server always returns, even if no client set them. */
function fillIn(object: JsonRecord, empty: JsonRecord): JsonRecord {
  const filled: JsonRecord = { ...object };
  for (const [name, value] of Object.entries(empty)) {
    const found = filled[name];
    if (found === undefined) filled[name] = value;
    else if (isRecord(found) && isRecord(value)) filled[name] = fillIn(found, value);
  }
  return filled;
}

/** Fields that the server omits when they are empty. */
const hidden = new Set(
  "data binaryData selector externalIPs args env limits labels publishNotReadyAddresses".split(" "),
);

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  // The server always returns the resources of a container.
  const whole = Object.hasOwn(value, "image") ? { resources: {}, ...value } : value;
  const shown = Object.entries(whole).filter(([name, part]) => !hidden.has(name) || !isEmpty(part));
  return Object.fromEntries(shown.map(([name, part]) => [name, withoutEmpty(part)]));
}

function isEmpty(value: unknown): boolean {
  return value === false || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

function latestTime(object: JsonRecord): number {
  return Math.max(0, ...managedFieldsOf(object).map((entry) => Date.parse(String(asRecord(entry)["time"])) || 0));
}

function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

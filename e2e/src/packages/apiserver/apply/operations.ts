// Random writes that both servers receive.

import type { Random } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { type Probabilities, randomValue } from "./random-schema.ts";

type Body = Record<string, unknown>;

/** One write. Values that depend on server state, such as the resource version, are filled in when it is sent. */
export interface Operation {
  readonly verb: "create" | "update" | "merge" | "apply";
  readonly version: string;
  readonly manager: string;
  readonly subresource: "" | "status";
  readonly force: boolean;
  /** The object, patch or apply configuration without `apiVersion`, `kind` and name. */
  readonly body: Body;
}

const managers = ["alpha", "beta", "kubectl"];
/** Enough managers for the server to merge the oldest entries. */
const manyManagers = Array.from({ length: 14 }, (_, n) => `m${n}`);

/** Options of a sequence of writes. */
export interface Target {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly typeMeta: (version: string) => Body;
}

/** Returns a sequence of writes to one object; the first one creates it. */
export function randomOperations(target: Target, random: Random, count: number): Operation[] {
  const versions = Object.keys(target.schemas);
  const by = random.next() < 0.1 ? manyManagers : managers;
  return Array.from({ length: count }, (_, n) => {
    const version = random.next() < 0.75 ? (versions[0] ?? "") : (versions.at(-1) ?? "");
    return operation(target, { version, by, isFirst: n === 0 }, random);
  });
}

interface Frame {
  readonly version: string;
  readonly by: readonly string[];
  readonly isFirst: boolean;
}

function operation({ schemas, typeMeta }: Target, { version, by, isFirst }: Frame, random: Random): Operation {
  const manager = by[random.int(by.length)] ?? "alpha";
  const verb = (isFirst ? (["create", "apply"] as const)[random.int(2)] : verbs[random.int(verbs.length)]) ?? "apply";
  const subresource = !isFirst && random.next() < 0.25 ? "status" : "";
  const mistakes = random.next() < 0.15;
  const probabilities: Probabilities = { present: 0.25 + random.next() * 0.6, mistake: mistakes ? 0.04 : 0 };
  const force = verb === "apply" && random.next() < 0.4;
  const made = body(schemas[version] ?? {}, random, probabilities, verb);
  const metadata = isObject(made["metadata"]) ? made["metadata"] : {};
  if (verb !== "apply" && random.next() < 0.06)
    metadata["annotations"] = lastApplied({ ...typeMeta(version), ...made });
  if (verb === "update" && random.next() < 0.06)
    metadata["managedFields"] = inventedManagers(typeMeta(version), random);
  return { verb, version, manager, subresource, force, body: made };
}

/** Returns the annotation of client-side apply. */
function lastApplied(content: Body): Body {
  return { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ ...content, metadata: {} }) };
}

/** Returns managedFields set by a client: none, valid and invalid ones, and some with a version that does not exist. */
function inventedManagers({ apiVersion }: Body, random: Random): unknown[] {
  const entry = {
    manager: "invented",
    operation: "Apply",
    apiVersion,
    time: "2020-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:a": {}, "f:b": { ".": {}, 'k:{"k":"b"}': {}, "v:1": {} }, "f:c": { "f:x": {} } } },
  };
  const choices: readonly unknown[][] = [
    [],
    [{}],
    [entry],
    [entry, { ...entry, manager: "other", operation: "Update", subresource: "status" }],
    [{ ...entry, operation: "Steal" }],
    [{ ...entry, fieldsType: "" }],
    [{ ...entry, fieldsV1: { spec: {} } }],
    [{ ...entry, apiVersion: `${String(apiVersion)}0` }],
  ];
  return choices[random.int(choices.length)] ?? [];
}

const verbs = ["apply", "apply", "apply", "apply", "update", "update", "merge", "merge"] as const;

function body(schema: Schema, random: Random, probabilities: Probabilities, verb: Operation["verb"]): Body {
  const made: Body = { metadata: metadata(random) };
  for (const part of ["spec", "status"]) {
    if (random.next() < 0.85) made[part] = randomValue(schema.properties?.[part] ?? {}, random, probabilities);
  }
  return verb === "merge" ? withNulls(made, random) : made;
}

/** Sets fields to null, which removes them in a merge patch. */
function withNulls(patch: Body, random: Random): Body {
  const result: Body = {};
  for (const [name, value] of Object.entries(patch)) {
    // Only the main endpoint rejects embedded resources without these fields; another suite compares that.
    if (["apiVersion", "kind", "metadata"].includes(name)) result[name] = value;
    else if (random.next() < 0.12) result[name] = null;
    else result[name] = isObject(value) ? withNulls(value, random) : withoutNulls(value);
  }
  return result;
}

/** Another suite compares null elements of lists in merge patches. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value ?? "a";
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([key, part]) => [key, withoutNulls(part)]),
  );
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function metadata(random: Random): Body {
  const made: Body = {};
  if (random.next() < 0.5) made["labels"] = some(random, ["l", "m"]);
  if (random.next() < 0.3) made["annotations"] = some(random, ["n.io/x", "o"]);
  if (random.next() < 0.2) made["finalizers"] = ["x.io/a", "x.io/b"].filter(() => random.next() < 0.6);
  if (random.next() < 0.2) made["ownerReferences"] = owners(random);
  return made;
}

function some(random: Random, keys: readonly string[]): Body {
  return Object.fromEntries(keys.filter(() => random.next() < 0.6).map((key) => [key, String(random.int(2))]));
}

function owners(random: Random): Body[] {
  const reference = (uid: string): Body => ({ apiVersion: "v1", kind: "ConfigMap", name: `o${random.int(2)}`, uid });
  return ["u1", "u2"].filter(() => random.next() < 0.6).map(reference);
}

// The operations that both servers are given, and how they come about by chance.

import type { Random } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { type Mood, randomValue } from "./random-schema.ts";

type Body = Record<string, unknown>;

/** One write. What depends on the state of the server, as the resource version, is filled in when it is sent. */
export interface Operation {
  readonly verb: "create" | "update" | "merge" | "apply";
  readonly version: string;
  readonly manager: string;
  readonly subresource: "" | "status";
  readonly force: boolean;
  /** The object, patch or configuration without `apiVersion`, `kind` and name. */
  readonly body: Body;
}

const managers = ["alpha", "beta", "kubectl"];

/** A sequence of writes to one object; the first one creates it. */
export function randomOperations(
  schemas: Readonly<Record<string, Schema>>,
  random: Random,
  count: number,
): Operation[] {
  const versions = Object.keys(schemas);
  return Array.from({ length: count }, (_, n) => {
    const version = random.next() < 0.75 ? (versions[0] ?? "") : (versions.at(-1) ?? "");
    return operation(schemas[version] ?? {}, version, random, n === 0);
  });
}

function operation(schema: Schema, version: string, random: Random, isFirst: boolean): Operation {
  const manager = managers[random.int(managers.length)] ?? "alpha";
  const verb = isFirst ? (random.int(2) === 0 ? "create" : "apply") : verbs[random.int(verbs.length)];
  const subresource = !isFirst && random.next() < 0.25 ? "status" : "";
  const mistakes = random.next() < 0.15;
  const mood: Mood = { present: 0.25 + random.next() * 0.6, mistake: mistakes ? 0.04 : 0 };
  const force = verb === "apply" && random.next() < 0.4;
  return { verb: verb ?? "apply", version, manager, subresource, force, body: body(schema, random, mood, verb) };
}

const verbs = ["apply", "apply", "apply", "apply", "update", "update", "merge", "merge"] as const;

function body(schema: Schema, random: Random, mood: Mood, verb: Operation["verb"] | undefined): Body {
  const made: Body = { metadata: metadata(random, verb) };
  for (const part of ["spec", "status"]) {
    if (random.next() < 0.85) made[part] = randomValue(schema.properties?.[part] ?? {}, random, mood);
  }
  return verb === "merge" ? withNulls(made, random) : made;
}

/** A merge patch removes fields by naming them null. */
function withNulls(patch: Body, random: Random): Body {
  const result: Body = {};
  for (const [name, value] of Object.entries(patch)) {
    // An embedded resource without these is refused at the main endpoint alone, which is compared elsewhere.
    if (["apiVersion", "kind", "metadata"].includes(name)) result[name] = value;
    else if (random.next() < 0.12) result[name] = null;
    else result[name] = isObject(value) ? withNulls(value, random) : withoutNulls(value);
  }
  return result;
}

/** What merge patches do to nulls in lists is compared elsewhere. */
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

function metadata(random: Random, verb: Operation["verb"] | undefined): Body {
  const made: Body = {};
  if (random.next() < 0.5) made["labels"] = some(random, ["l", "m"]);
  if (random.next() < 0.3) made["annotations"] = some(random, ["n.io/x", "o"]);
  if (random.next() < 0.2) made["finalizers"] = ["x.io/a", "x.io/b"].filter(() => random.next() < 0.6);
  if (random.next() < 0.2) made["ownerReferences"] = owners(random);
  if (verb === "update" && random.next() < 0.04) made["managedFields"] = random.int(2) === 0 ? [] : [{}];
  return made;
}

function some(random: Random, keys: readonly string[]): Body {
  return Object.fromEntries(keys.filter(() => random.next() < 0.6).map((key) => [key, String(random.int(2))]));
}

function owners(random: Random): Body[] {
  const reference = (uid: string): Body => ({ apiVersion: "v1", kind: "ConfigMap", name: `o${random.int(2)}`, uid });
  return ["u1", "u2"].filter(() => random.next() < 0.6).map(reference);
}

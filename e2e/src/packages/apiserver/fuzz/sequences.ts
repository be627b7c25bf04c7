// Random sequences of requests: several objects, several managers, every verb and patch type.

import type { Random } from "@homeostat/core";
import type { Probabilities } from "../apply/random-schema.ts";
import { apply, del, get, patch, post, put, type Step, watch } from "../cases/case.ts";
import type { FuzzKind } from "./kinds.ts";

type Body = Record<string, unknown>;

const names = ["a", "b", "c"];
const managers = ["alpha", "beta", "gamma"];

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new Error("cannot pick from an empty list");
  return item;
}

/** Returns a sequence about one kind; it ends with reads of the remaining objects and their managedFields. */
export function randomSequence(kind: FuzzKind, random: Random, length: number): Step[] {
  const steps = Array.from({ length }, () => randomStep(kind, random));
  const history = `${kind.path}?watch=true&resourceVersion={rv}&timeoutSeconds=1`;
  return [...steps, get(kind.path), ...(random.next() < 0.1 ? [watch(history, 0)] : [])];
}

function randomStep(kind: FuzzKind, random: Random): Step {
  const name = pick(random, names);
  const probabilities: Probabilities = { present: 0.3 + random.next() * 0.6, mistake: random.next() < 0.25 ? 0.06 : 0 };
  const at = `${kind.path}/${name}`;
  const maker = pick(random, makers);
  return maker({ kind, random, name, probabilities, at });
}

interface StepOptions {
  readonly kind: FuzzKind;
  readonly random: Random;
  readonly name: string;
  readonly probabilities: Probabilities;
  readonly at: string;
}

const makers: readonly ((options: StepOptions) => Step)[] = [
  (options) => post(withQuery(options.kind.path, options), object(options)),
  (options) => post(withQuery(options.kind.path, options), object(options)),
  (options) => put(withQuery(options.at, options), object(options)),
  (options) =>
    apply(targetPath(options), pick(options.random, managers), object(options), { force: options.random.next() < 0.4 }),
  (options) =>
    apply(targetPath(options), pick(options.random, managers), object(options), { force: options.random.next() < 0.4 }),
  (options) => patch("merge", withQuery(targetPath(options), options), holes(partial(options), options.random)),
  (options) => patch(options.kind.isCustom ? "merge" : "strategic", withQuery(options.at, options), partial(options)),
  (options) => patch("json", withQuery(options.at, options), operations(options)),
  ({ at }) => get(at),
  ({ kind, random }) => get(`${kind.path}?${listQuery(random)}`),
  (options) => deletion(options),
];

/** Returns the path of the object itself or of its status. */
function targetPath({ kind, at, random }: StepOptions): string {
  return kind.hasStatus && random.next() < 0.2 ? `${at}/status` : at;
}

function withQuery(path: string, { random }: StepOptions): string {
  const query: string[] = [];
  if (random.next() < 0.5) query.push(`fieldManager=${pick(random, managers)}`);
  if (random.next() < 0.15) query.push("dryRun=All");
  if (random.next() < 0.2) query.push(`fieldValidation=${pick(random, ["Strict", "Warn", "Ignore"])}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

function metadata({ random, name }: StepOptions): Body {
  const made: Body = { name };
  if (random.next() < 0.4) made["labels"] = { [pick(random, ["app", "tier"])]: pick(random, ["a", "b"]) };
  if (random.next() < 0.2) made["annotations"] = { note: pick(random, ["x", "y"]) };
  if (random.next() < 0.1) made["finalizers"] = [pick(random, ["example.com/a", "example.com/b"])];
  if (random.next() < 0.03) made["resourceVersion"] = "1";
  if (random.next() < 0.03) made["uid"] = "other";
  if (random.next() < 0.02) made["name"] = pick(random, ["a", "A_B", ""]);
  return made;
}

function object(options: StepOptions): Body {
  const { kind, random, probabilities } = options;
  const unknown = random.next() < probabilities.mistake ? { unknown: 1 } : {};
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: metadata(options),
    ...kind.content(random, probabilities),
    ...unknown,
  };
}

function partial(options: StepOptions): Body {
  const { kind, random, probabilities } = options;
  const { name: _name, ...rest } = metadata(options);
  return { ...(random.next() < 0.4 ? { metadata: rest } : {}), ...kind.content(random, probabilities) };
}

/** Sets a few values to `null`, which removes them in a merge patch. */
function holes(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const made: Body = {};
  for (const [key, each] of Object.entries(value)) made[key] = random.next() < 0.15 ? null : holes(each, random);
  return made;
}

function operations(options: StepOptions): Body[] {
  const { random } = options;
  const content = Object.entries(partial(options));
  return Array.from({ length: 1 + random.int(3) }, () => {
    const [key = "metadata", value = {}] = content[random.int(Math.max(1, content.length))] ?? [];
    const parts: Body = typeof value === "object" && value !== null ? { ...value } : {};
    const inner = Object.keys(parts);
    const deeper = inner.length > 0 && random.next() < 0.6 ? `/${pick(random, inner)}` : "";
    const op = pick(random, ["add", "replace", "remove", "test", "copy", "move"]);
    const path = `/${key}${deeper}`;
    if (op === "remove") return { op, path };
    // Not of the whole metadata: the error message prints it in random order.
    if (op === "copy" || op === "move") {
      return { op, from: key === "metadata" ? "/metadata/annotations" : path, path: "/metadata/labels" };
    }
    const found = deeper === "" ? value : parts[deeper.slice(1)];
    return { op, path, value: found };
  });
}

const selectors = ["app%3Da", "app!%3Da", "app+in+(a,b),tier", "!app", "tier+notin+(a)"];

function listQuery(random: Random): string {
  const query: string[] = [];
  if (random.next() < 0.7) query.push(`labelSelector=${pick(random, selectors)}`);
  if (random.next() < 0.3)
    query.push(`fieldSelector=metadata.name${pick(random, ["%3D", "!%3D"])}${pick(random, names)}`);
  if (random.next() < 0.3) query.push(`limit=${random.int(3)}`);
  return query.join("&");
}

function deletion({ kind, random, at }: StepOptions): Step {
  if (random.next() < 0.1) return del(`${kind.path}?${listQuery(random)}`);
  const body: Body = { apiVersion: "v1", kind: "DeleteOptions" };
  if (random.next() < 0.3) body["propagationPolicy"] = pick(random, ["Orphan", "Background", "Foreground"]);
  if (random.next() < 0.1) body["preconditions"] = { uid: "other" };
  if (random.next() < 0.1) body["dryRun"] = ["All"];
  return random.next() < 0.5 ? del(at) : del(at, body);
}

// Generates objects for a structural schema: mostly valid, with a few typical mistakes.

import type { Random } from "@homeostat/core";
import type { Json, Schema } from "@homeostat/schema";
import fc from "fast-check";

/** Probabilities of the generator. */
export interface Probabilities {
  /** Probability that a value violates its schema on purpose. */
  readonly mistake: number;
  /** Probability that an optional field is present. */
  readonly present: number;
}

type Mutable = { [key: string]: Json };

const strings = [
  "",
  "a",
  "A",
  "abc",
  "a b",
  "x-1",
  "-x",
  "ü",
  "日本",
  "\u{1F600}",
  "true",
  "null",
  "0",
  "1",
  "-1",
  "1.5",
  "1e3",
  "100m",
  "1Gi",
  "1.5Gi",
  "0.1",
  "10s",
  "1h30m",
  "1.5h",
  "-5m",
  "10",
  "P1D",
  "2026-01-02T03:04:05Z",
  "2026-01-02T03:04:05.123456Z",
  "2026-13-01T00:00:00Z",
  "2026-02-29",
  "2024-02-29",
  "1.2.3.4",
  "300.1.1.1",
  "::1",
  "fe80::1%eth0",
  "10.0.0.0/8",
  "10.0.0.1/33",
  "2001:db8::/32",
  "foo.example.com",
  "-foo.example.com",
  "a@b.example",
  "not-an-email",
  "https://example.com/a?b=c",
  "/relative",
  "http://[::1]:80/",
  "00:11:22:33:44:55",
  "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  "aGVsbG8=",
  "not base64!",
  "__proto__",
  "constructor",
  "v1",
  "v1beta1",
  "1.2.3",
  "1.2.3-rc.1+b",
  "01.2.3",
  "x".repeat(70),
  "é".repeat(40),
];
const names = ["a", "b", "c", "web", "x-1", "__proto__", "constructor", "toString", "a.b/c"];
const wrong: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  "",
  "text",
  [],
  {},
  [1],
  ["a"],
  { a: 1 },
  2147483648,
  9007199254740991,
  1e300,
  -0.5,
];

/** Returns a value for `schema`, chosen by `random`. */
export function generate(schema: Schema, random: Random, probabilities: Probabilities): Json {
  if (chance(random, probabilities.mistake)) return mistake(schema, random, probabilities);
  if (schema.nullable === true && chance(random, 0.1)) return null;
  if (schema.enum !== undefined) return pick(schema.enum, random);
  if (schema["x-kubernetes-int-or-string"] === true) {
    return chance(random, 0.5) ? integer(schema, random) : text(schema, random);
  }
  switch (schema.type) {
    case "string":
      return text(schema, random);
    case "integer":
      return integer(schema, random);
    case "number":
      return chance(random, 0.5) ? integer(schema, random) : integer(schema, random) + 0.5;
    case "boolean":
      return chance(random, 0.5);
    case "array":
      return list(schema, random, probabilities);
    case "object":
      return object(schema, random, probabilities);
    case undefined:
    default:
      return pick(wrong, random);
  }
}

function object(schema: Schema, random: Random, probabilities: Probabilities): Json {
  const made: Mutable = {};
  if (schema["x-kubernetes-embedded-resource"] === true) {
    put(made, "apiVersion", pick(["v1", "apps/v1"], random));
    put(made, "kind", pick(["ConfigMap", "Widget"], random));
    if (chance(random, 0.5)) put(made, "metadata", { name: pick(["a", "b-c"], random) });
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true;
    if (chance(random, required ? 1 - probabilities.mistake : probabilities.present))
      put(made, name, generate(property, random, probabilities));
  }
  if (typeof schema.additionalProperties === "object") {
    for (let count = size(schema.minProperties, schema.maxProperties, random, probabilities); count > 0; count -= 1) {
      put(made, pick(names, random), generate(schema.additionalProperties, random, probabilities));
    }
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true || chance(random, probabilities.mistake / 2)) {
    put(made, pick(["extra", "__proto__", "hasOwnProperty"], random), pick(wrong, random));
  }
  return made;
}

function list(schema: Schema, random: Random, probabilities: Probabilities): Json {
  const count = size(schema.minItems, schema.maxItems, random, probabilities);
  return Array.from({ length: count }, () => generate(schema.items ?? {}, random, probabilities));
}

function text(schema: Schema, random: Random): string {
  if (schema.pattern !== undefined && chance(random, 0.8)) {
    const sample = matching(schema.pattern, random);
    if (sample !== undefined) return sample;
  }
  const min = schema.minLength ?? 0;
  if (chance(random, 0.7)) {
    const fits = strings.filter(
      (value) => value.length >= min && value.length <= (schema.maxLength ?? Infinity) && suits(schema.format, value),
    );
    if (fits.length > 0) return pick(fits, random);
  }
  return "k".repeat(min + Math.min(random.int(4), Math.max(0, (schema.maxLength ?? Infinity) - min)));
}

/** Narrows the candidates for formats that most candidates would violate. */
function suits(format: string | undefined, value: string): boolean {
  if (format === "date-time") return /^\d{4}-.*[Zz]$/.test(value);
  if (format === "date") return /^\d{4}-\d\d-\d\d$/.test(value);
  if (format === "duration") return /^-?\d+(\.\d+)?[hms]/.test(value);
  if (format === "byte") return /[=!]$/.test(value);
  return true;
}

const samples = new Map<string, readonly string[]>();

/** Returns a string that matches a pattern, if JavaScript supports the pattern. Generated in batches, because the first one costs most. */
function matching(pattern: string, random: Random): string | undefined {
  let found = samples.get(pattern);
  if (found === undefined) {
    found = sample(pattern).filter((text) => !isUnending(text));
    samples.set(pattern, found);
  }
  return found.length === 0 ? undefined : pick(found, random);
}

function sample(pattern: string): string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 60, seed: 1 });
  } catch {
    return [];
  }
}

/** A known difference: for a quantity such as `1E-147553494395` the real server runs into its time limit, and we do not. */
function isUnending(text: string): boolean {
  return /[eE][+-]?\d{4,}/.test(text);
}

function integer(schema: Schema, random: Random): number {
  const min = schema.minimum ?? (schema.maximum ?? 10) - 20;
  const max = schema.maximum ?? min + 20;
  if (chance(random, 0.3)) return pick([min, max], random);
  const value = Math.ceil(min) + random.int(Math.max(1, Math.floor(max - min)));
  const step = schema.multipleOf;
  return step === undefined ? value : Math.ceil(value / step) * step;
}

/** Returns a value that is probably invalid here: another type, out of bounds, too long, or a duplicate. */
function mistake(schema: Schema, random: Random, probabilities: Probabilities): Json {
  const calm = { ...probabilities, mistake: 0 };
  switch (random.int(4)) {
    case 0:
      return schema.maximum === undefined ? pick(wrong, random) : schema.maximum + 1;
    case 1:
      return schema.minimum === undefined ? pick(strings, random) : schema.minimum - 1;
    case 2: {
      const value = generate(schema, random, calm);
      if (Array.isArray(value) && value.length > 0) return [...value, value[0] ?? null];
      return typeof value === "string" ? `${value}${"!".repeat(1 + random.int(80))}` : value;
    }
    default:
      return pick(wrong, random);
  }
}

function size(min: number | undefined, max: number | undefined, random: Random, probabilities: Probabilities): number {
  const low = min ?? 0;
  const high = Math.min(max ?? low + 3, low + 3);
  if (chance(random, probabilities.mistake)) return high + 1;
  return low + random.int(high - low + 1);
}

function put(target: Mutable, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function chance(random: Random, probability: number): boolean {
  return random.next() < probability;
}

function pick<T>(items: readonly [T, ...T[]] | readonly T[], random: Random): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new Error("cannot pick from an empty list");
  return item;
}

// Derives partial and invalid objects from complete ones.

import type { Dice } from "./dice.ts";

/** Returns the object without a random choice of its fields. Name and kind are kept. */
export function withoutSomeFields(
  body: Record<string, unknown>,
  dice: Dice,
  probability: number,
): Record<string, unknown> {
  const { apiVersion, kind, metadata, ...rest } = body;
  const { name, ...more } = metadata as Record<string, unknown>;
  return { apiVersion, kind, metadata: { name, ...cut(more, dice, probability) }, ...cut(rest, dice, probability) };
}

function cut<T extends object>(record: T, dice: Dice, probability: number): T {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (!dice.chance(probability)) kept[key] = inside(value, dice, probability);
  }
  return kept as T;
}

function inside(value: unknown, dice: Dice, probability: number): unknown {
  if (Array.isArray(value)) {
    return value.filter(() => !dice.chance(probability)).map((each: unknown) => inside(each, dice, probability));
  }
  return typeof value === "object" && value !== null ? cut(value, dice, probability) : value;
}

const texts = [
  "",
  "A",
  "a_b",
  "-a",
  "a".repeat(64),
  "a".repeat(254),
  "a b",
  "1",
  "ü",
  "a/b/c",
  "../x",
  "/abs",
  "1.2.3.4",
  "10.0.0.0/33",
  "x.y",
  "100%",
  "-1%",
  "abc%",
  "UPPER",
  "a=b",
];
const numbers = [-1, 0, 1, 65536, 100000, 2147483647, 3];

/** Returns the object with a few values replaced by others of the same type. */
export function withChangedValues(body: Record<string, unknown>, dice: Dice, count: number): Record<string, unknown> {
  const made = structuredClone(body);
  for (let index = 0; index < count; index += 1) {
    const places: { holder: Record<string, unknown>; key: string }[] = [];
    gather(made, places, 0);
    if (places.length === 0) break;
    const place = dice.pick(places);
    const value = place.holder[place.key];
    if (typeof value === "string") place.holder[place.key] = dice.pick(texts);
    else if (typeof value === "number") place.holder[place.key] = dice.pick(numbers);
    else if (typeof value === "boolean") place.holder[place.key] = !value;
    else if (Array.isArray(value) && value.length > 0) {
      place.holder[place.key] = dice.chance(0.5)
        ? []
        : [...(value as unknown[]), structuredClone(dice.pick(value as unknown[]))];
    } else if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
    else delete place.holder[place.key];
  }
  return made;
}

function gather(value: unknown, places: { holder: Record<string, unknown>; key: string }[], depth: number): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    if (depth === 0 && (key === "apiVersion" || key === "kind")) continue;
    // Templates of claims have a kind; another kind would be a decoding error.
    places.push({ holder: value as Record<string, unknown>, key });
    gather(Reflect.get(value, key), places, depth + 1);
  }
}

// The forms in which requests carry a routing key, as conditions on headers.
//
// The first place with a valid key determines the key of a request, in the order of the routing settings. A mesh has no such rule, so the condition
// for a later place also requires that no earlier place has a valid key.

import type { RoutingSettings } from "@homeostat/routing";

/** A condition on a header. Regular expressions match whole values, in the syntax of RE2. */
export interface HeaderTest {
  /** Lower-case name. */
  readonly name: string;
  readonly type: "exact" | "regex";
  readonly value: string;
}

/** One way to carry a key. */
export interface KeyForm {
  /** The header that carries the key. */
  readonly test: HeaderTest;
  /** Conditions that no header of the request may meet: another key in an earlier place. */
  readonly unless: readonly HeaderTest[];
}

/** Group headers with more keys than this are compared by the syntax of keys only: the expression would become too long. */
const groupKeysMax = 64;

/** A valid routing key. */
const anyKey = "[a-z0-9][a-z0-9-]{1,61}[a-z0-9]";

/** Returns the forms of a key, in the order in which places are read. Keys in tracestate are not among them. */
export function keyForms(key: string, settings: RoutingSettings): readonly KeyForm[] {
  const forms: KeyForm[] = [];
  const earlier: HeaderTest[] = [];
  for (const { test, occupied } of placesOf(key, settings)) {
    if (test !== undefined) forms.push({ test, unless: [...earlier] });
    earlier.push(occupied);
  }
  return forms;
}

interface Place {
  /** Matches if this place has the key; undefined if the place cannot carry this key. */
  readonly test: HeaderTest | undefined;
  /** Matches if this place has any key. */
  readonly occupied: HeaderTest;
}

function placesOf(key: string, settings: RoutingSettings): readonly Place[] {
  const { explicitHeaders, compatHeaders, customHeaders, keyNames } = settings;
  return [
    ...explicitHeaders.map((name) => headerPlace(name, key)),
    ...groupPlaces(key, settings),
    ...keyNames.map((name) => baggagePlace(name, key)),
    ...compatHeaders.map((name) => headerPlace(name, key)),
    ...customHeaders.map((name) => headerPlace(name, key)),
  ];
}

function headerPlace(name: string, key: string): Place {
  return { test: { name, type: "exact", value: key }, occupied: firstValueTest(name, anyKey) };
}

function groupPlaces(key: string, { groupHeaders, explicitHeaders }: RoutingSettings): readonly Place[] {
  const keysByName = new Map<string, Set<string>>();
  for (const { name, routingKeys } of groupHeaders) {
    const lower = name.toLowerCase();
    if (!explicitHeaders.includes(lower))
      keysByName.set(lower, new Set([...(keysByName.get(lower) ?? []), ...routingKeys]));
  }
  return [...keysByName].map(([name, keys]) => ({
    test: keys.has(key) ? { name, type: "exact" as const, value: key } : undefined,
    occupied: firstValueTest(name, keys.size > groupKeysMax ? anyKey : [...keys].map(escapeRegex).join("|")),
  }));
}

/** Only the first of several values is used. */
function firstValueTest(name: string, keys: string): HeaderTest {
  return { name, type: "regex", value: `(${keys})[ \\t]*(,.*)?` };
}

function baggagePlace(name: string, key: string): Place {
  return { test: baggageTest([name], escapeRegex(key)), occupied: baggageTest([name], anyKey) };
}

/** Returns a test for a member of baggage. The expression is correct both for meshes that search and for those that match whole values. */
export function baggageTest(names: readonly string[], keys: string): HeaderTest {
  const name = names.length === 1 ? escapeRegex(names[0] ?? "") : `(${names.map(escapeRegex).join("|")})`;
  const value = `^(.*,)?[ \\t]*${name}[ \\t]*=[ \\t]*${keys}[ \\t]*([;,].*)?$`;
  return { name: "baggage", type: "regex", value };
}

/** Escapes a text for a regular expression. A dash has a meaning only in sets, where this text is never used. */
export function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
}

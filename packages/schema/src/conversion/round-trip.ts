import { isEqual, isList, isRecord, ownValue } from "@homeostat/core";
import { formatProblem } from "../problem/problem.ts";
import type { ResourceVersion } from "../resource/resource.ts";
import type { Conversion } from "./define-conversion.ts";

/** A way in which an object did not survive a journey through another version. */
export interface RoundTripFault {
  /** The versions it went through: `v2 -> v1 -> v2`. */
  readonly route: string;
  /** The object it started with. */
  readonly object: unknown;
  /** What went wrong, with the place: `spec.image: "a" became "b"`. */
  readonly fault: string;
}

/** How {@link checkRoundTrips} compares. */
export interface RoundTripOptions {
  /** Whether two values may count as the same although they differ, such as an empty map and none. */
  readonly isSame?: (before: unknown, after: unknown) => boolean;
}

/**
 * Takes samples through every other version and back, and lists what did not come back as it left.
 *
 * A sample is a valid object of any version. It must come back equal, with its defaults and metadata, and be valid on
 * the way. Meant for tests: feed it generated objects, and expect an empty list.
 */
export function checkRoundTrips(
  conversion: Conversion,
  samples: Iterable<unknown>,
  { isSame = isEqual }: RoundTripOptions = {},
): RoundTripFault[] {
  const faults: RoundTripFault[] = [];
  const versions = Object.values(conversion.resource.versions);
  for (const object of samples) {
    const home = versions.find((version) => isRecord(object) && version.apiVersion === ownValue(object, "apiVersion"));
    if (home === undefined) {
      faults.push({ route: "nowhere", object, fault: "apiVersion: is not a version of the resource" });
      continue;
    }
    const start = home.parse(object);
    for (const away of versions.filter((version) => version !== home)) {
      const route = `${home.version} -> ${away.version} -> ${home.version}`;
      faults.push(...travel({ conversion, home, away, start, isSame }).map((fault) => ({ route, object, fault })));
    }
  }
  return faults;
}

interface Trip {
  readonly conversion: Conversion;
  readonly home: ResourceVersion;
  readonly away: ResourceVersion;
  readonly start: unknown;
  readonly isSame: (before: unknown, after: unknown) => boolean;
}

function travel({ conversion, home, away, start, isSame }: Trip): string[] {
  const there = conversion.convert(start, away.apiVersion).object;
  const problems = away.check(there);
  if (problems.length > 0) return problems.map((problem) => `in ${away.version}: ${formatProblem(problem)}`);
  const back = conversion.convert(there, home.apiVersion).object;
  return differences(start, back, "", isSame);
}

function differences(
  before: unknown,
  after: unknown,
  path: string,
  isSame: (before: unknown, after: unknown) => boolean,
): string[] {
  if (isSame(before, after)) return [];
  const parts = children(before, after);
  if (parts.length === 0) return [`${path.replace(/^\./, "")}: ${show(before)} became ${show(after)}`];
  return parts.flatMap(([step, left, right]) => differences(left, right, `${path}${step}`, isSame));
}

function children(before: unknown, after: unknown): [string, unknown, unknown][] {
  if (isList(before) && isList(after) && before.length === after.length) {
    return before.map((left, index) => [`[${index}]`, left, after[index]]);
  }
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].map((key) => [`.${key}`, ownValue(before, key), ownValue(after, key)]);
  }
  return [];
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
}

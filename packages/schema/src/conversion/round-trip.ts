import { isEqual, isList, isRecord, ownValue } from "@homeostat/core";
import { formatProblem } from "../problem/problem.ts";
import type { ResourceVersion } from "../resource/resource.ts";
import type { Conversion } from "./define-conversion.ts";

/** A difference that an object has after conversion to another version and back. */
export interface RoundTripFault {
  /** The versions of the round trip: `v2 -> v1 -> v2`. */
  readonly route: string;
  /** The sample. */
  readonly object: unknown;
  /** The problem with its path: `spec.image: "a" became "b"`. */
  readonly fault: string;
}

/** Options of {@link checkRoundTrips}. */
export interface RoundTripOptions {
  /** Compares two values. Override it to accept differences, such as between an empty map and a missing one. */
  readonly isSame?: (before: unknown, after: unknown) => boolean;
}

/**
 * Converts samples to every other version and back, and returns all differences and all invalid intermediate objects.
 *
 * A sample is a valid object of any version. It is compared after defaulting, including its metadata. For tests: pass generated
 * objects and expect an empty list.
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
      faults.push({ route: "nowhere", object, fault: "apiVersion: must be a version of the resource" });
      continue;
    }
    const start = home.parse(object);
    for (const away of versions.filter((version) => version !== home)) {
      const route = `${home.version} -> ${away.version} -> ${home.version}`;
      faults.push(
        ...tryRoundTrip({ conversion, home, away, start, isSame }).map((fault) => ({ route, object, fault })),
      );
    }
  }
  return faults;
}

interface RoundTrip {
  readonly conversion: Conversion;
  readonly home: ResourceVersion;
  readonly away: ResourceVersion;
  readonly start: unknown;
  readonly isSame: (before: unknown, after: unknown) => boolean;
}

function tryRoundTrip({ conversion, home, away, start, isSame }: RoundTrip): string[] {
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

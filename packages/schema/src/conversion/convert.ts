import { deepClone, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";
import { formatProblem } from "../problem/problem.ts";
import type { ResourceVersion, ResourceVersions } from "../resource/resource.ts";
import { putStash, takeStash } from "./annotation.ts";
import { ConversionError, convertedKey } from "./conversion-error.ts";
import type { Converted } from "./define-conversion.ts";
import { applyChanges, type Change, findChanges } from "./stash.ts";

/** The functions of a spoke, without the types of its objects. */
export interface Spoke {
  toHub(object: unknown): unknown;
  fromHub(object: unknown): unknown;
  readonly keepSpoke?: boolean;
}

/** What a converter needs. */
interface Parts {
  readonly versions: ResourceVersions;
  readonly hub: ResourceVersion;
  readonly spokes: { readonly [version: string]: Spoke };
  readonly stashBytesMax: number;
  readonly annotation: (version: string) => string;
}

/** One step, between the hub and a spoke in either direction. */
interface Leg {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  /** From the one to the other. */
  readonly there: (body: unknown) => unknown;
  /** And back, to see what would be lost. Missing where nothing is kept. */
  readonly back?: (body: unknown) => unknown;
}

/** A function that converts objects of a resource to any of its versions. */
export function makeConverter(parts: Parts): (object: unknown, apiVersion: string) => Converted {
  const { versions, hub, spokes } = parts;
  const find = (apiVersion: unknown): ResourceVersion | undefined =>
    Object.values(versions).find((version) => version.apiVersion === apiVersion);

  return (object, apiVersion) => {
    const key = convertedKey(object);
    if (!isRecord(object)) throw new ConversionError(key, "it is not an object");
    const source = ownValue(object, "apiVersion");
    const from = find(source);
    const to = find(apiVersion);
    if (from === undefined) throw new ConversionError(key, `${String(source)} is not a version of ${hub.kind}`);
    if (to === undefined) throw new ConversionError(key, `${apiVersion} is not a version of ${hub.kind}`);
    const kind = ownValue(object, "kind");
    if (kind !== hub.kind) throw new ConversionError(key, `its kind is ${String(kind)} and not ${hub.kind}`);

    const warnings: string[] = [];
    let current = object;
    for (const leg of legsBetween(from, to, hub, spokes)) current = travel(leg, { current, key, warnings, parts });
    return { object: asObject(current, to), warnings };
  };
}

function legsBetween(
  from: ResourceVersion,
  to: ResourceVersion,
  hub: ResourceVersion,
  spokes: { readonly [version: string]: Spoke },
): Leg[] {
  if (from.version === to.version) return [];
  const legs: Leg[] = [];
  const source = Object.hasOwn(spokes, from.version) ? spokes[from.version] : undefined;
  const target = Object.hasOwn(spokes, to.version) ? spokes[to.version] : undefined;
  if (source !== undefined) {
    legs.push({
      from,
      to: hub,
      there: (body) => source.toHub(body),
      ...(source.keepSpoke === true && { back: (body: unknown) => source.fromHub(body) }),
    });
  }
  if (target !== undefined) {
    legs.push({
      from: hub,
      to,
      there: (body) => target.fromHub(body),
      back: (body) => target.toHub(body),
    });
  }
  return legs;
}

interface Journey {
  readonly current: JsonRecord;
  readonly key: string;
  readonly warnings: string[];
  readonly parts: Parts;
}

function travel({ from, to, there, back }: Leg, { current, key, warnings, parts }: Journey): JsonRecord {
  // The API server fills in defaults before it converts, but not after; so the result gets its own here.
  const full = withDefaults(from, current);
  const { metadata: rest, stash } = takeStash(ownValue(current, "metadata"), parts.annotation(to.version));
  // A stash of the version itself has no business on it. Passed on, it would be taken for one on the way back.
  const { metadata } = takeStash(rest, parts.annotation(from.version));

  const raw = call(there, full, { key, from, to });
  let body = raw;
  switch (stash.at) {
    case "absent":
      break;
    case "omitted":
      throw new ConversionError(
        key,
        `it holds more than fits ${from.apiVersion}, so a change through that version would lose it; use ${to.apiVersion}`,
      );
    case "unreadable":
      warnings.push(`annotation ${parts.annotation(to.version)} is not what was written there and was ignored`);
      break;
    case "present":
      body = restore({ to, raw, metadata, changes: stash.changes, key, warnings });
      break;
  }

  const result = withDefaults(to, { ...body, apiVersion: to.apiVersion, kind: to.kind, metadata });
  if (back === undefined) return result;
  const rawBack = call(back, result, { key, from: to, to: from });
  const changes = findChanges(from.schema, {
    base: bodyOf(withDefaults(from, { ...rawBack, apiVersion: from.apiVersion, kind: from.kind, metadata })),
    raw: rawBack,
    full: bodyOf(full),
  });
  return changes.length === 0 ? result : keep({ from, to, result, changes, key, parts });
}

interface Restoring {
  readonly to: ResourceVersion;
  readonly raw: JsonRecord;
  readonly metadata: JsonRecord;
  readonly changes: readonly Change[];
  readonly key: string;
  readonly warnings: string[];
}

/** What the target version held before, put back on what the source version leads to. */
function restore({ to, raw, metadata, changes, key, warnings }: Restoring): JsonRecord {
  const { value, dropped } = applyChanges(to.schema, raw, changes);
  // Anybody may edit an annotation, and the API server does not check what a conversion yields. So it is checked here.
  const check = (body: JsonRecord): string[] => to.check(asObject({ ...body, metadata }, to)).map(formatProblem);
  const before = new Set(check(raw));
  const problems = check(value).filter((problem) => !before.has(problem));
  if (problems.length > 0) {
    const list = problems.join("; ");
    if (to.storage) throw new ConversionError(key, `what was kept for ${to.apiVersion} is not valid there (${list})`);
    warnings.push(`what was kept for ${to.apiVersion} is not valid there and was ignored: ${list}`);
    return raw;
  }
  warnings.push(...dropped.map((path) => `${path}: what was kept for ${to.apiVersion} gave way to a change`));
  return value;
}

interface Keeping {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  readonly result: JsonRecord;
  readonly changes: readonly Change[];
  readonly key: string;
  readonly parts: Parts;
}

function keep({ from, to, result, changes, key, parts }: Keeping): JsonRecord {
  const own = ownValue(result, "metadata");
  const { metadata, isOmitted } = putStash(isRecord(own) ? own : {}, changes, {
    key: parts.annotation(from.version),
    bytesMax: parts.stashBytesMax,
  });
  // While the full version is the stored one, the short one is only read, and what it leaves out is not lost.
  if (isOmitted && !from.storage) {
    throw new ConversionError(key, `what ${from.apiVersion} holds beyond ${to.apiVersion} is too large to be kept`);
  }
  return { ...result, metadata };
}

function withDefaults(version: ResourceVersion, object: JsonRecord): JsonRecord {
  return { ...version.default(asObject(object, version)) };
}

function bodyOf(object: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => name !== "apiVersion" && name !== "kind" && name !== "metadata"),
  );
}

function call(
  convert: (body: unknown) => unknown,
  object: JsonRecord,
  names: { key: string; from: ResourceVersion; to: ResourceVersion },
): JsonRecord {
  const between = `from ${names.from.apiVersion} to ${names.to.apiVersion}`;
  let body: unknown;
  try {
    body = convert(deepClone(bodyOf(object)));
  } catch (cause) {
    throw new ConversionError(names.key, `the function ${between} failed on it`, { cause });
  }
  if (!isRecord(body)) throw new ConversionError(names.key, `the function ${between} gave no object`);
  return bodyOf(body);
}

function asObject(object: JsonRecord, version: ResourceVersion): KubeObject {
  const metadata = ownValue(object, "metadata");
  return {
    ...object,
    apiVersion: version.apiVersion,
    kind: version.kind,
    metadata: isRecord(metadata) ? metadata : {},
  };
}

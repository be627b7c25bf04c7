import { deepClone, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";
import { isKnownProblem } from "../problem/known-problems.ts";
import { formatShortProblem, type Problem } from "../problem/problem.ts";
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

/** The parameters of a converter. */
interface Parts {
  readonly versions: ResourceVersions;
  readonly hub: ResourceVersion;
  readonly spokes: { readonly [version: string]: Spoke };
  readonly stashBytesMax: number;
  readonly annotation: (version: string) => string;
}

/** One conversion, from the hub to a spoke or from a spoke to the hub. */
interface Step {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  /** Converts the body of an object. */
  readonly convert: (body: unknown) => unknown;
  /** Converts back, to find out what `convert` loses. Absent if the losses are not stashed. */
  readonly revert?: (body: unknown) => unknown;
}

/** Returns a function that converts objects of a resource to any of its versions. */
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
    if (kind !== hub.kind) throw new ConversionError(key, `its kind is ${String(kind)}, expected ${hub.kind}`);

    const warnings: string[] = [];
    let current = object;
    for (const step of stepsBetween(from, to, hub, spokes))
      current = convertStep(step, { current, key, warnings, parts });
    return { object: asObject(current, to), warnings };
  };
}

function stepsBetween(
  from: ResourceVersion,
  to: ResourceVersion,
  hub: ResourceVersion,
  spokes: { readonly [version: string]: Spoke },
): Step[] {
  if (from.version === to.version) return [];
  const steps: Step[] = [];
  const source = Object.hasOwn(spokes, from.version) ? spokes[from.version] : undefined;
  const target = Object.hasOwn(spokes, to.version) ? spokes[to.version] : undefined;
  if (source !== undefined) {
    steps.push({
      from,
      to: hub,
      convert: (body) => source.toHub(body),
      ...(source.keepSpoke === true && { revert: (body: unknown) => source.fromHub(body) }),
    });
  }
  if (target !== undefined) {
    steps.push({
      from: hub,
      to,
      convert: (body) => target.fromHub(body),
      revert: (body) => target.toHub(body),
    });
  }
  return steps;
}

interface StepInput {
  readonly current: JsonRecord;
  readonly key: string;
  readonly warnings: string[];
  readonly parts: Parts;
}

function convertStep({ from, to, convert, revert }: Step, { current, key, warnings, parts }: StepInput): JsonRecord {
  // The API server applies defaults before conversion but not after it, so the result gets the defaults of `to` here.
  const full = withDefaults(from, current);
  const { metadata: rest, stash } = takeStash(ownValue(current, "metadata"), parts.annotation(to.version));
  // An object must not carry a stash for its own version; a client added it. If it were passed on, the conversion back to this
  // version would apply it.
  const { metadata } = takeStash(rest, parts.annotation(from.version));

  const raw = call(convert, full, { key, from, to });
  let body = raw;
  switch (stash.at) {
    case "absent":
      break;
    case "omitted":
      throw new ConversionError(
        key,
        `it has values that ${from.apiVersion} cannot represent and that are too large for an annotation; write it as ${to.apiVersion}`,
      );
    case "unreadable":
      warnings.push(`ignored annotation ${parts.annotation(to.version)}: it was edited and cannot be read`);
      break;
    case "present":
      body = restore({ to, raw, metadata, changes: stash.changes, key, warnings });
      break;
  }

  const result = withDefaults(to, { ...body, apiVersion: to.apiVersion, kind: to.kind, metadata });
  if (revert === undefined) return result;
  const rawBack = call(revert, result, { key, from: to, to: from });
  const changes = findChanges(from.schema, {
    base: bodyOf(withDefaults(from, { ...rawBack, apiVersion: from.apiVersion, kind: from.kind, metadata })),
    raw: rawBack,
    full: bodyOf(full),
  });
  return changes.length === 0 ? result : addStash({ from, to, result, changes, key, parts });
}

interface RestoreInput {
  readonly to: ResourceVersion;
  readonly raw: JsonRecord;
  readonly metadata: JsonRecord;
  readonly changes: readonly Change[];
  readonly key: string;
  readonly warnings: string[];
}

/** Applies the stashed values of the target version to the converted body. */
function restore({ to, raw, metadata, changes, key, warnings }: RestoreInput): JsonRecord {
  const { value, dropped } = applyChanges(to.schema, raw, changes);
  // Any client may edit an annotation, and the API server does not validate the result of a conversion, so it is validated here.
  const check = (body: JsonRecord): readonly Problem[] => to.check(asObject({ ...body, metadata }, to));
  const isKnown = isKnownProblem(check(raw));
  const problems = check(value).filter((problem) => !isKnown(problem));
  if (problems.length > 0) {
    const list = problems.map(formatShortProblem).join("; ");
    if (to.storage) throw new ConversionError(key, `its stashed values are not valid in ${to.apiVersion} (${list})`);
    warnings.push(`ignored the stashed values because they are not valid in ${to.apiVersion}: ${list}`);
    return raw;
  }
  warnings.push(
    ...dropped.map(
      (path) =>
        `${path}: dropped the value stashed for ${to.apiVersion} because the field was changed in another version`,
    ),
  );
  return value;
}

interface StashInput {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  readonly result: JsonRecord;
  readonly changes: readonly Change[];
  readonly key: string;
  readonly parts: Parts;
}

function addStash({ from, to, result, changes, key, parts }: StashInput): JsonRecord {
  const own = ownValue(result, "metadata");
  const { metadata, isOmitted } = putStash(isRecord(own) ? own : {}, changes, {
    key: parts.annotation(from.version),
    bytesMax: parts.stashBytesMax,
  });
  // If `from` is the storage version, the converted object is only read and never stored, so nothing is lost.
  if (isOmitted && !from.storage) {
    throw new ConversionError(
      key,
      `the values that ${to.apiVersion} cannot represent are too large for an annotation; reduce them or store ${from.apiVersion}`,
    );
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
    throw new ConversionError(names.key, `the conversion function ${between} failed`, { cause });
  }
  if (!isRecord(body))
    throw new ConversionError(names.key, `the conversion function ${between} did not return an object`);
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

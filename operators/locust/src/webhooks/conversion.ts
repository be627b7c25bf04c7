import { type Conversion, type KubeObject } from "homeostat";
import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { ConversionError, type Converted, convertedKey, formatShortProblem } from "@homeostat/schema";
import { LocustTest, type LocustTestInput, type LocustTestV1Input } from "../api/locust-test.ts";
import { annotations, apiVersion as v2, group, kind } from "../api/names.ts";
import { mergeV1Edit, toV1Spec, toV2Spec } from "./convert-spec.ts";
import { addSpecAnnotation, takeSpecAnnotation } from "./spec-annotation.ts";
import { isSameSpec } from "./same-spec.ts";

const v1 = `${group}/v1`;

/**
 * Converts tests between the versions without loss.
 *
 * Where v1 cannot express a v2 spec, the v1 form carries the whole v2 spec in an annotation. On the way back, the fields that
 * were edited through v1 come from the v1 spec and all others from the annotation. The status passes unchanged.
 */
export const conversion: Conversion = {
  resource: LocustTest,
  hub: "v2",
  convert,
  convertAll: (objects, target) => objects.map((object) => convert(object, target)),
};

function convert(object: unknown, target: string): Converted {
  const key = convertedKey(object);
  if (!isRecord(object)) throw new ConversionError(key, "it is not an object");
  const source = ownValue(object, "apiVersion");
  for (const version of [source, target]) {
    if (version !== v1 && version !== v2) {
      throw new ConversionError(key, `${String(version)} is not a version of ${kind}`);
    }
  }
  if (ownValue(object, "kind") !== kind) throw new ConversionError(key, `its kind is not ${kind}`);
  if (source === target) return { object: { ...object, ...identity(object, target) }, warnings: [] };
  try {
    return target === v2 ? toV2(object, key) : toV1(object, key);
  } catch (cause) {
    if (cause instanceof ConversionError) throw cause;
    throw new ConversionError(key, `its fields do not match ${String(source)}`, { cause });
  }
}

function toV1(object: JsonRecord, key: string): Converted {
  if (!isV2(object)) throw new ConversionError(key, `it has no valid spec of ${v2}`);
  // A user's v2 object must not carry these annotations: they would be read on the way back.
  const { metadata } = takeSpecAnnotation(ownValue(object, "metadata"));
  const spec = toV1Spec(object.spec);
  const back = toV2Spec(LocustTest.versions.v1.default({ apiVersion: v1, kind, metadata: {}, spec }).spec);
  const isComplete = isSameSpec(back, object.spec);
  return {
    object: assemble(object, v1, { spec, metadata: isComplete ? metadata : addSpecAnnotation(metadata, object.spec) }),
    warnings: [],
  };
}

function toV2(object: JsonRecord, key: string): Converted {
  if (!isV1(object)) throw new ConversionError(key, `it has no valid spec of ${v1}`);
  const { metadata, kept } = takeSpecAnnotation(ownValue(object, "metadata"));
  const edited = LocustTest.versions.v1.default(object).spec;
  if (kept === "omitted") {
    const problem = `this LocustTest uses v2 fields that are too large to be kept in the v1 form; update it through ${v2}`;
    throw new ConversionError(key, problem);
  }
  const isKept = typeof kept === "object";
  const spec = isKept ? mergeV1Edit({ kept: validated(kept, key), edited }) : toV2Spec(edited);
  const warning = `annotation ${annotations.v2Spec} of ${key} does not contain a JSON object and was ignored`;
  return { object: assemble(object, v2, { spec, metadata }), warnings: kept === "unreadable" ? [warning] : [] };
}

/** Checks the kept spec: users can edit annotations, and the API server does not validate the result of a conversion. */
function validated(spec: JsonRecord, key: string): LocustTestInput["spec"] {
  const object = { apiVersion: v2, kind, metadata: { name: "kept" }, spec };
  const problems = LocustTest.check(object).slice(0, 5).map(formatShortProblem);
  if (problems.length > 0 || !isV2(object)) {
    const list = problems.join("; ");
    throw new ConversionError(
      key,
      `annotation ${annotations.v2Spec} does not contain a valid spec of ${v2} (${list}); remove it`,
    );
  }
  return LocustTest.default(object).spec;
}

function isV2(object: JsonRecord): object is JsonRecord & LocustTestInput {
  const spec = ownValue(object, "spec");
  if (!isRecord(spec) || !hasText(spec, "image")) return false;
  return [ownValue(spec, "master"), ownValue(spec, "worker")].every(
    (role) => isRecord(role) && hasText(role, "command"),
  );
}

function isV1(object: JsonRecord): object is JsonRecord & LocustTestV1Input {
  const spec = ownValue(object, "spec");
  return isRecord(spec) && ["image", "masterCommandSeed", "workerCommandSeed"].every((name) => hasText(spec, name));
}

function hasText(record: JsonRecord, name: string): boolean {
  return typeof ownValue(record, name) === "string";
}

function assemble(object: JsonRecord, version: string, parts: { spec: object; metadata: JsonRecord }): KubeObject {
  const body = { ...object, spec: parts.spec };
  return { ...body, ...identity(object, version), metadata: parts.metadata };
}

function identity(object: JsonRecord, version: string): KubeObject {
  const metadata = ownValue(object, "metadata");
  return { apiVersion: version, kind, metadata: isRecord(metadata) ? metadata : {} };
}

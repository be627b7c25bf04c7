import { isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";
import { type Conversion, ConversionError, type Converted, formatProblem } from "@homeostat/schema";
import { annotations, apiVersion as v2, group, kind } from "../api/identity.ts";
import { LocustTest, type LocustTestInput, type LocustTestV1Input } from "../api/locust-test.ts";
import { putSpec, takeSpec } from "./kept-spec.ts";
import { down } from "./down.ts";
import { isSameSpec } from "./same-spec.ts";
import { mergeRows } from "./merge-spec.ts";
import { up } from "./convert-spec.ts";

const v1 = `${group}/v1`;

/**
 * Turns tests of one version into the other, without losing anything.
 *
 * What v1 cannot say travels in an annotation of the v1 form: the whole v2 spec. On the way back, what was changed
 * through v1 is taken from there, and everything else from the annotation. The status passes unchanged.
 */
export const conversion: Conversion = {
  resource: LocustTest,
  hub: "v2",
  convert,
  convertAll: (objects, target) => objects.map((object) => convert(object, target)),
};

function convert(object: unknown, target: string): Converted {
  const key = keyOf(object);
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
    throw new ConversionError(key, `its fields are not those of ${String(source)}`, { cause });
  }
}

function toV1(object: JsonRecord, key: string): Converted {
  if (!isV2(object)) throw new ConversionError(key, `it has no spec of ${v2}`);
  // On a v2 object these annotations have no business, and would be taken for ours on the way back.
  const { metadata } = takeSpec(ownValue(object, "metadata"));
  const spec = down(object.spec);
  const back = up(LocustTest.versions.v1.default({ apiVersion: v1, kind, metadata: {}, spec }).spec);
  const isComplete = isSameSpec(back, object.spec);
  return {
    object: assemble(object, v1, { spec, metadata: isComplete ? metadata : putSpec(metadata, object.spec) }),
    warnings: [],
  };
}

function toV2(object: JsonRecord, key: string): Converted {
  if (!isV1(object)) throw new ConversionError(key, `it has no spec of ${v1}`);
  const { metadata, kept } = takeSpec(ownValue(object, "metadata"));
  const now = LocustTest.versions.v1.default(object).spec;
  const next = up(now);
  switch (kept.at) {
    case "absent":
      return { object: assemble(object, v2, { spec: next, metadata }), warnings: [] };
    case "unreadable": {
      const warning = `annotation ${annotations.v2Spec} of ${key} is not what was written there and was ignored`;
      return { object: assemble(object, v2, { spec: next, metadata }), warnings: [warning] };
    }
    case "omitted":
      throw new ConversionError(
        key,
        `this LocustTest uses v2-only fields that do not fit the v1 form; write it through ${v2}`,
      );
    case "present": {
      const full = checked(kept.spec, key);
      const spec = mergeRows({ kept: { ...full }, before: down(full), now, next: { ...next } });
      return { object: assemble(object, v2, { spec, metadata }), warnings: [] };
    }
  }
}

/** Anybody may edit an annotation, and an API server does not check what a conversion yields. So it is checked here. */
function checked(spec: JsonRecord, key: string): LocustTestInput["spec"] {
  const object = { apiVersion: v2, kind, metadata: { name: "kept" }, spec };
  const problems = LocustTest.check(object).slice(0, 5).map(formatProblem);
  if (problems.length > 0 || !isV2(object)) {
    const list = problems.join("; ");
    throw new ConversionError(key, `annotation ${annotations.v2Spec} has no valid spec of ${v2} (${list}); remove it`);
  }
  return LocustTest.default(object).spec;
}

function isV2(object: JsonRecord): object is JsonRecord & LocustTestInput {
  const spec = ownValue(object, "spec");
  return isRecord(spec) && hasText(spec, "image") && hasCommand(spec, "master") && hasCommand(spec, "worker");
}

function hasCommand(spec: JsonRecord, role: string): boolean {
  const part = ownValue(spec, role);
  return isRecord(part) && hasText(part, "command");
}

function isV1(object: JsonRecord): object is JsonRecord & LocustTestV1Input {
  const spec = ownValue(object, "spec");
  return isRecord(spec) && ["image", "masterCommandSeed", "workerCommandSeed"].every((name) => hasText(spec, name));
}

function hasText(record: JsonRecord, name: string): boolean {
  return typeof ownValue(record, name) === "string";
}

function assemble(
  object: JsonRecord,
  version: string,
  { spec, metadata }: { spec: object; metadata: JsonRecord },
): KubeObject {
  const body = { ...object, spec };
  return { ...body, ...identity(object, version), metadata };
}

function identity(object: JsonRecord, version: string): KubeObject {
  const metadata = ownValue(object, "metadata");
  return { apiVersion: version, kind, metadata: isRecord(metadata) ? metadata : {} };
}

function keyOf(object: unknown): string {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const name = isRecord(metadata) ? ownValue(metadata, "name") : undefined;
  if (!isRecord(metadata) || typeof name !== "string") return "An object without a name";
  const namespace = ownValue(metadata, "namespace");
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}

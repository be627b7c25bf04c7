import type { JsonRecord } from "@homeostat/core";
import { checkObjectMeta, type Problem } from "@homeostat/schema";
import { subdomainName } from "../validation/names.ts";
import { checkCommonMeta, checkMetaUpdate } from "../validation/metadata-update.ts";
import { checkScaleSpec, checkScaleStatus } from "./check-scale.ts";
import { recordOf } from "../values/properties.ts";
import type { VersionSchema } from "./version-schema.ts";

/** The version to validate against, and the scope of its objects. */
export interface CheckedVersion {
  readonly schema: VersionSchema;
  readonly isNamespaced: boolean;
}

/** Validates a new custom resource. */
export function checkNewCustom(object: JsonRecord, { schema, isNamespaced }: CheckedVersion): Problem[] {
  const before = checkObjectMeta(recordOf(object, "metadata"), "metadata", {
    isNamespaced,
    nameProblems: subdomainName,
  });
  return schema.compiled.validate(object, { before, after: scaleProblems(object, schema) });
}

/** Validates an update of a custom resource. */
export function checkChangedCustom(object: JsonRecord, old: JsonRecord, version: CheckedVersion): Problem[] {
  const { schema, isNamespaced } = version;
  const before = checkMetaUpdate(object, old);
  const common = checkCommonMeta(object, isNamespaced, before);
  return [...common, ...schema.compiled.validate(object, { old, before, after: scaleProblems(object, schema) })];
}

/** Validates a status update of a custom resource. */
export function checkCustomStatus(object: JsonRecord, old: JsonRecord, version: CheckedVersion): Problem[] {
  const { schema, isNamespaced } = version;
  const { scale } = schema.version;
  const before = checkMetaUpdate(object, old);
  const common = checkCommonMeta(object, isNamespaced, before);
  const after = scale === undefined ? [] : checkScaleStatus(object, scale);
  return [...common, ...schema.compiled.validateStatus(object, { old, before, after })];
}

function scaleProblems(object: JsonRecord, { version: { scale } }: VersionSchema): Problem[] {
  return scale === undefined ? [] : [...checkScaleSpec(object, scale), ...checkScaleStatus(object, scale)];
}

import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { checkObjectMeta, type Problem } from "@homeostat/schema";
import { checkMetaUpdate } from "../validation/metadata-update.ts";
import type { BuiltInKind } from "../resources/resource.ts";
import { Field } from "../validation/field.ts";
import { checkFinalizerName } from "../validation/finalizers.ts";
import { subdomainName } from "../validation/names.ts";
import { kindStrategies, strategyOf } from "./strategies.ts";

/** Kinds whose fields are validated beyond their metadata, as `plural.group`. */
export const checkedKinds: readonly string[] = kindStrategies
  .filter(({ validate }) => validate !== undefined)
  .map(({ plural, group }) => `${plural}.${group}`);

/**
 * Returns all problems of a new object of a built-in kind, with the messages and in the order of kube-apiserver.
 *
 * The object is decoded, defaulted and prepared; its metadata has a name and a namespace. `emptyPaths` holds the paths at which the body had
 * an empty map or list, because some messages show those.
 */
export function checkNewObject(kind: BuiltInKind, object: JsonRecord, emptyPaths?: ReadonlySet<string>): Problem[] {
  const { wholeValidation, validate, validatesMetadataLast } = strategyOf(kind);
  if (wholeValidation !== undefined) return wholeValidation.create(object);
  const problems = validatesMetadataLast === true ? [] : checkMeta(kind, object);
  validate?.(new Field(object, "", problems, emptyPaths));
  return validatesMetadataLast === true && problems.length === 0 ? checkMeta(kind, object) : problems;
}

/** Returns all problems of an update: invalid fields, and changes of immutable fields. */
export function checkChangedObject(
  kind: BuiltInKind,
  object: JsonRecord,
  { old, emptyPaths }: { readonly old: JsonRecord; readonly emptyPaths?: ReadonlySet<string> | undefined },
): Problem[] {
  const {
    wholeValidation,
    validate,
    validateChanged = validate,
    validateUpdate,
    validatesUpdateFirst,
  } = strategyOf(kind);
  if (wholeValidation !== undefined) return wholeValidation.update(object, old);
  const problems = checkMeta(kind, object);
  const field = new Field(object, "", problems, emptyPaths);
  const before = new Field(old, "", []);
  problems.push(...checkMetaUpdate(object, old));
  if (validatesUpdateFirst === true) validateUpdate?.(field, before);
  // An unchanged spec is not validated again: it may have been stored before a rule existed.
  if (!isEqual(object["spec"], old["spec"]) || !isRecord(object["spec"])) validateChanged?.(field);
  if (validatesUpdateFirst !== true) validateUpdate?.(field, before);
  return problems;
}

function checkMeta(kind: BuiltInKind, object: JsonRecord): Problem[] {
  const { validateName = subdomainName, allowsAnyFinalizer } = strategyOf(kind);
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const problems = checkObjectMeta(metadata, "metadata", {
    isNamespaced: kind.scope === "Namespaced",
    nameProblems: (name, options) => validateName(name, options, object),
  });
  if (allowsAnyFinalizer !== true) {
    const finalizers = new Field(metadata, "metadata", problems).at("finalizers");
    for (const finalizer of finalizers.items()) checkFinalizerName(finalizer);
  }
  return problems;
}

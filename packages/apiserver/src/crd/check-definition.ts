import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { checkObjectMeta, type Problem } from "@homeostat/schema";
import { Field } from "../validation/field.ts";
import { checkApproval } from "./approval.ts";
import { bundleProblem } from "./check-conversion.ts";
import { subdomainName } from "../validation/names.ts";
import { checkCommonMeta, checkMetaUpdate } from "../validation/metadata-update.ts";
import { checkNames } from "./check-names.ts";
import { checkSpec } from "./check-spec.ts";
import { isConditionTrue, readDefinition } from "./definition.ts";
import { invalidJson } from "./problems.ts";
import { listOf, recordOf, textOf, textsOf, valueAtPath } from "../values/properties.ts";

/** Validates a new CustomResourceDefinition after decoding, defaulting and preparation. */
export function checkNewDefinition(object: JsonRecord): Problem[] {
  const spec = recordOf(object, "spec");
  const expectedName = `${textOf(recordOf(spec, "names"), "plural")}.${textOf(spec, "group")}`;
  const problems = checkObjectMeta(recordOf(object, "metadata"), "metadata", {
    isNamespaced: false,
    nameProblems: (name, options) => [
      ...subdomainName(name, options),
      ...(name === expectedName ? [] : ['must be spec.names.plural+"."+spec.group']),
    ],
  });
  const whole = new Field(object, "", problems);
  // The webhook is not called before the definition is established.
  checkSpec(whole.at("spec"), { allowsBadBundle: true });
  checkOtherParts(whole, object, undefined);
  return problems;
}

/** Validates an update of a CustomResourceDefinition. */
export function checkChangedDefinition(object: JsonRecord, old: JsonRecord): Problem[] {
  const changed = checkMetaUpdate(object, old);
  const problems = [...checkCommonMeta(object, false, changed), ...changed];
  const whole = new Field(object, "", problems);
  const spec = whole.at("spec");
  const isEstablished = isConditionTrue(readDefinition(old), "Established");
  checkSpec(spec, { allowsBadBundle: !isEstablished || hasBadBundle(old) });
  const before = new Field(recordOf(old, "spec"), "spec", []);
  const checkImmutable = (now: Field, then: Field): void => {
    if (!isEqual(now.text, then.text)) now.invalid("field is immutable", now.text);
  };
  if (isEstablished) {
    checkImmutable(spec.at("scope"), before.at("scope"));
    checkImmutable(spec.at("names").at("kind"), before.at("names").at("kind"));
  }
  checkImmutable(spec.at("group"), before.at("group"));
  checkImmutable(spec.at("names").at("plural"), before.at("names").at("plural"));
  checkOtherParts(whole, object, old);
  return problems;
}

/** Validates a status update of a CustomResourceDefinition. */
export function checkDefinitionStatus(object: JsonRecord, old: JsonRecord): Problem[] {
  const changed = checkMetaUpdate(object, old);
  const problems = [...checkCommonMeta(object, false, changed), ...changed];
  checkNames(new Field(object, "", problems).at("status").at("acceptedNames"));
  return problems;
}

function checkOtherParts(whole: Field, object: JsonRecord, old: JsonRecord | undefined): void {
  checkNames(whole.at("status").at("acceptedNames"));
  checkStoredVersions(whole);
  checkApproval(whole, old, object);
  const preserves = whole.at("spec").at("preserveUnknownFields");
  if (preserves.value !== true || recordOf(old, "spec")["preserveUnknownFields"] === true) return;
  preserves.invalid(
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
  );
}

function checkStoredVersions(whole: Field): void {
  const field = whole.at("status").at("storedVersions");
  const stored = textsOf(whole.at("status").value, "storedVersions");
  if (stored.length === 0) {
    invalidJson(field, "must have at least one stored version", field.value ?? null);
    return;
  }
  const left = new Map(stored.map((name, index) => [name, index]));
  for (const version of listOf(whole.at("spec").value, "versions")) {
    const name = textOf(version, "name");
    const isStored = isRecord(version) && version["storage"] === true;
    // The second of two versions with the same name finds no entry, as in the real server.
    if (isStored && !left.has(name)) invalidJson(field, `must have the storage version ${name}`, stored);
    left.delete(name);
  }
  for (const [name, index] of left) {
    field
      .with(name)
      .as(`${field.path}[${index}]`)
      .invalid(
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
  }
}

function hasBadBundle(old: JsonRecord): boolean {
  const bundle = valueAtPath(old, ["spec", "conversion", "webhook", "clientConfig", "caBundle"]);
  return typeof bundle === "string" && bundleProblem(bundle) !== undefined;
}

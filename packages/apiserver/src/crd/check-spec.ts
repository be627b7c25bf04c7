import { dns1035LabelProblems, dnsSubdomainProblems, isRecord } from "@homeostat/core";
import type { Field } from "../validation/field.ts";
import { checkConversion, type ConversionStrictness } from "./check-conversion.ts";
import { checkNames, checkRequiredNames } from "./check-names.ts";
import { checkSchemaPart } from "./check-schema-part.ts";
import { checkSelectableFields } from "./check-selectable.ts";
import { checkColumn, checkDeprecationWarning, checkSubresources } from "./check-version-parts.ts";
import { printVersions } from "./internal-form.ts";
import { invalidJoined, invalidJson } from "./problems.ts";
import { fieldOf, recordOf } from "../values/properties.ts";
import { hasDefaults } from "./schema-parts.ts";
import { type SharedPart, type SharedSpec, sharedParts } from "./shared-parts.ts";

/** Validates the spec of a definition, in the order and with the messages of the real server. */
export function checkSpec(spec: Field, strictness: ConversionStrictness): void {
  const internal = sharedParts(isRecord(spec.value) ? spec.value : {});
  const part = (name: SharedPart, path: string): Field =>
    spec.with(internal.shared.get(name)).as(`${spec.path}.${path}`);
  const validation = part("schema", "validation");
  const preserves = spec.at("preserveUnknownFields").value === true;
  checkGroup(spec.at("group"));
  spec.at("scope").oneOf(["Cluster", "Namespaced"], { isRequired: true });
  checkRequiredSchemas(spec, internal, validation);
  if (preserves && usesDefaults(internal)) {
    spec.at("preserveUnknownFields").invalid("must be false in order to use defaults in the schema", true);
  }
  checkVersions(spec, internal);
  checkRequiredNames(spec.at("names"));
  checkNames(spec.at("names"));
  checkSchemaPart(validation, { hasStatus: anyStatus(internal) });
  checkSubresources(part("subresources", "subresources"));
  for (const column of part("additionalPrinterColumns", "additionalPrinterColumns").items()) checkColumn(column);
  const selectable = part("selectableFields", "selectableFields");
  if (selectable.length > 0) {
    if (!validation.isSet) selectable.invalid("may only be set when validations.schema is included", "");
    else checkSelectableFields(selectable, validation.at("openAPIV3Schema").value);
  }
  const conversion = spec.at("conversion");
  if (preserves && conversion.isSet && conversion.at("strategy").text !== "None") {
    conversion.at("strategy").invalid("must be None if spec.preserveUnknownFields is true");
  }
  checkConversion(conversion, strictness);
}

function checkGroup(group: Field): void {
  if (group.text === "") {
    group.required();
    return;
  }
  const details = dnsSubdomainProblems(group.text);
  invalidJoined(group, details);
  if (details.length === 0 && !group.text.includes(".")) group.invalid("should be a domain with at least one dot");
}

/** Every version must have a schema, its own or the shared one. */
function checkRequiredSchemas(spec: Field, { versions }: SharedSpec, validation: Field): void {
  if (validation.at("openAPIV3Schema").isSet) return;
  for (const version of spec.at("versions").with(versions).items()) {
    const schema = version.at("schema").at("openAPIV3Schema");
    if (!schema.isSet) schema.required();
  }
}

function usesDefaults({ shared, versions }: SharedSpec): boolean {
  const schemas = [shared.get("schema"), ...versions.map((version) => fieldOf(version, "schema"))];
  return schemas.some((each) => hasDefaults(fieldOf(each, "openAPIV3Schema")));
}

function anyStatus({ shared, versions }: SharedSpec): boolean {
  const all = [shared.get("subresources"), ...versions.map((version) => fieldOf(version, "subresources"))];
  return all.some(hasStatus);
}

function hasStatus(subresources: unknown): boolean {
  return isRecord(fieldOf(subresources, "status"));
}

function checkVersions(spec: Field, internal: SharedSpec): void {
  const all = spec.at("versions").with(internal.versions);
  const names = new Set<string>();
  const isPerVersion = internal.versions.some((version) => isRecord(fieldOf(version, "subresources")));
  let isUnique = true;
  let stored = 0;
  for (const version of all.items()) {
    if (version.at("storage").value === true) stored += 1;
    const name = version.at("name");
    if (names.has(name.text)) isUnique = false;
    names.add(name.text);
    invalidJoined(name, dns1035LabelProblems(name.text));
    const subresources = isPerVersion ? version.at("subresources").value : internal.shared.get("subresources");
    checkVersion(version, hasStatus(subresources));
  }
  const shown = (): string => printVersions(spec.at("versions").value === null ? null : internal.versions);
  if (!isUnique) invalidJson(all, "must contain unique version names", all.value, shown());
  if (stored !== 1) {
    invalidJson(all, "must have exactly one version marked as storage version", all.value, shown());
  }
  const [first] = all.items();
  if (first === undefined || first.at("name").text === "") return;
  invalidJoined(first.at("name").as(`${spec.path}.version`), dns1035LabelProblems(first.at("name").text));
}

function checkVersion(version: Field, hasOwnStatus: boolean): void {
  checkDeprecationWarning(version);
  checkSchemaPart(version.at("schema"), { hasStatus: hasOwnStatus });
  checkSubresources(version.at("subresources"));
  for (const column of version.at("additionalPrinterColumns").items()) checkColumn(column);
  const selectable = version.at("selectableFields");
  if (selectable.length === 0) return;
  const schema = version.at("schema").at("openAPIV3Schema");
  // The message of the real server says the opposite of what it means; it is kept for equality.
  if (!schema.isSet) selectable.invalid("may only be set when `version.schema.openAPIV3Schema` is not included", "");
  else checkSelectableFields(selectable, recordOf(version.at("schema").value, "openAPIV3Schema"));
}

import { isEqual, type JsonRecord } from "@homeostat/core";
import { fieldOf, listOf, recordOf, textOf, textsOf } from "../values/properties.ts";
import { schemasIn } from "./schema-parts.ts";

/** Prepares a new CustomResourceDefinition, in place: resets its status. */
export function prepareNewDefinition(object: JsonRecord): void {
  object["status"] = {
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: withStored(object, []),
  };
}

/** Restores, in place, the fields that a write at an endpoint must not change. */
export function prepareChangedDefinition(object: JsonRecord, old: JsonRecord, subresource: string): void {
  if (subresource === "status") {
    object["spec"] = fieldOf(old, "spec");
    return;
  }
  const status = recordOf(old, "status");
  object["status"] = { ...status, storedVersions: withStored(object, textsOf(status, "storedVersions")) };
}

/** Returns the versions that objects may be stored in: the previous ones and the current storage version. */
function withStored(object: JsonRecord, before: readonly string[]): string[] | null {
  const versions = listOf(recordOf(object, "spec"), "versions");
  const stored = versions.find((version) => fieldOf(version, "storage") === true);
  const all = stored === undefined ? before : [...new Set([...before, textOf(stored, "name")])];
  return all.length === 0 ? null : [...all];
}

/** Reports whether two definitions have the same spec. */
export function isSameSpec(a: JsonRecord, b: JsonRecord): boolean {
  return isEqual(fieldOf(a, "spec"), fieldOf(b, "spec"));
}

const textFormats: ReadonlySet<string> = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname".split(
    " ",
  ),
);

/** Returns warnings for new formats in schemas that are not validated. */
export function definitionWarnings(object: JsonRecord, old: JsonRecord | undefined): string[] {
  const before = new Set(old === undefined ? [] : unrecognizedFormats(old));
  return unrecognizedFormats(object)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unrecognizedFormats(object: JsonRecord): string[] {
  return listOf(recordOf(object, "spec"), "versions").flatMap((version) => {
    const schema = fieldOf(fieldOf(version, "schema"), "openAPIV3Schema");
    return [...schemasIn(schema)].flatMap((each) => {
      const format = textOf(each, "format");
      return format === "" || isKnownFormat(textOf(each, "type"), format) ? [] : [format];
    });
  });
}

function isKnownFormat(type: string, format: string): boolean {
  if (type === "" || type === "string") return textFormats.has(format.replaceAll("-", ""));
  if (type === "integer") return format === "int32" || format === "int64";
  return type === "number" && (format === "float" || format === "double");
}

import { quote } from "@homeostat/cel";
import {
  dnsLabelProblems,
  isRecord,
  type JsonRecord,
  labelValueProblems,
  qualifiedNameProblems,
  utf8Length,
} from "@homeostat/core";
import { printInteger } from "../problem/print.ts";
import { isInt64 } from "../value/int64.ts";
import { forbidden, invalid, required, tooLong, type Problem } from "../problem/problem.ts";

/** Rules for metadata that differ between kinds. */
export interface MetaRules {
  readonly isNamespaced: boolean;
  /** Returns the problems of a name, or with `isPrefix` of a `generateName`. */
  readonly nameProblems: (name: string, options: { isPrefix: boolean }) => readonly string[];
}

const annotationBytesMax = 256 * 1024;
const managerBytesMax = 128;
const subresourceBytesMax = 256;

/**
 * Checks decoded object metadata as the API server does on creation, after it generated a name.
 *
 * The metadata must have gone through `decodeObjectMeta`, so its parts have the right types.
 */
export function checkObjectMeta(meta: JsonRecord, path: string, { isNamespaced, nameProblems }: MetaRules): Problem[] {
  const name = textAt(meta, "name");
  const generateName = textAt(meta, "generateName");
  const namespace = textAt(meta, "namespace");
  const generation = meta["generation"];
  const problems: Problem[] = [];
  if (generateName !== "") {
    problems.push(...problemsOf(`${path}.generateName`, generateName, nameProblems(generateName, { isPrefix: true })));
  }
  if (name === "") problems.push(required(`${path}.name`, "name or generateName is required"));
  else problems.push(...problemsOf(`${path}.name`, name, nameProblems(name, { isPrefix: false })));
  if (!isNamespaced && namespace !== "") problems.push(forbidden(`${path}.namespace`, "not allowed on this type"));
  else if (isNamespaced && namespace === "") problems.push(required(`${path}.namespace`));
  else if (isNamespaced) problems.push(...problemsOf(`${path}.namespace`, namespace, dnsLabelProblems(namespace)));
  if (isInt64(generation) && Number(generation) < 0) {
    problems.push(invalid(`${path}.generation`, { value: generation }, "must be greater than or equal to 0"));
  }
  return [
    ...problems,
    ...checkLabels(meta["labels"], `${path}.labels`),
    ...checkAnnotations(meta["annotations"], `${path}.annotations`),
    ...checkOwners(meta["ownerReferences"], `${path}.ownerReferences`),
    ...checkFinalizers(meta["finalizers"], `${path}.finalizers`),
    ...checkManagedFields(meta["managedFields"], `${path}.managedFields`),
  ];
}

function problemsOf(path: string, value: string, details: readonly string[]): Problem[] {
  return details.map((detail) => invalid(path, { value }, detail));
}

function textAt(record: JsonRecord, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" ? value : "";
}

function entriesOf(value: unknown): [string, string][] {
  return isRecord(value) ? Object.entries(value).map(([key, text]) => [key, String(text)]) : [];
}

function recordsOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function checkLabels(labels: unknown, path: string): Problem[] {
  return entriesOf(labels).flatMap(([key, value]) => [
    ...problemsOf(path, key, qualifiedNameProblems(key)),
    ...problemsOf(path, value, labelValueProblems(value)),
  ]);
}

function checkAnnotations(annotations: unknown, path: string): Problem[] {
  const entries = entriesOf(annotations);
  const bytes = entries.reduce((total, [key, value]) => total + utf8Length(key) + utf8Length(value), 0);
  return [
    // The API server validates annotation keys in lowercase, so uppercase domains are allowed.
    ...entries.flatMap(([key]) => problemsOf(path, key, qualifiedNameProblems(key.toLowerCase()))),
    ...(bytes > annotationBytesMax ? [tooLong(path, annotationBytesMax)] : []),
  ];
}

function checkOwners(owners: unknown, path: string): Problem[] {
  const problems: Problem[] = [];
  let controller: string | undefined;
  for (const owner of recordsOf(owners)) {
    problems.push(...checkOwner(owner, path));
    if (owner["controller"] !== true) continue;
    const name = `${textAt(owner, "kind")}/${textAt(owner, "name")}`;
    if (controller === undefined) controller = name;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      const printed = JSON.stringify(recordsOf(owners).map(shownOwner));
      problems.push(invalid(path, { value: owners, printed }, detail));
    }
  }
  return problems;
}

const ownerFields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];

/** Returns an owner reference with its fields in the order in which Go prints them. */
function shownOwner(owner: JsonRecord): JsonRecord {
  return Object.fromEntries(
    ownerFields.filter((name) => Object.hasOwn(owner, name)).map((name) => [name, owner[name]]),
  );
}

function checkOwner(owner: JsonRecord, path: string): Problem[] {
  const [apiVersion, kind] = [textAt(owner, "apiVersion"), textAt(owner, "kind")];
  const parts = apiVersion.split("/");
  const version = parts.length > 2 ? "" : (parts.at(-1) ?? "");
  const empty = (field: string): Problem[] =>
    textAt(owner, field) === "" ? [invalid(`${path}.${field}`, { value: "" }, "must not be empty")] : [];
  const problems: Problem[] = [];
  if (version === "") problems.push(invalid(`${path}.apiVersion`, { value: apiVersion }, "version must not be empty"));
  problems.push(...empty("kind"), ...empty("name"), ...empty("uid"));
  if (apiVersion === "v1" && kind === "Event") {
    problems.push(invalid(path, { value: owner }, "/v1, Kind=Event is disallowed from being an owner"));
  }
  return problems;
}

function checkFinalizers(finalizers: unknown, path: string): Problem[] {
  const names = Array.isArray(finalizers) ? finalizers.map(String) : [];
  const problems = names.flatMap((name) => problemsOf(path, name, qualifiedNameProblems(name)));
  if (names.includes("orphan") && names.includes("foregroundDeletion")) {
    problems.push(invalid(path, { value: names }, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return problems;
}

function checkManagedFields(entries: unknown, path: string): Problem[] {
  return recordsOf(entries).flatMap((entry, index) => checkManagedFieldsEntry(entry, `${path}[${index}]`));
}

function checkManagedFieldsEntry(entry: JsonRecord, path: string): Problem[] {
  const operation = textAt(entry, "operation");
  const fieldsType = textAt(entry, "fieldsType");
  const manager = textAt(entry, "manager");
  const problems: Problem[] = [];
  if (operation !== "Apply" && operation !== "Update") {
    problems.push(invalid(`${path}.operation`, { value: operation }, "must be `Apply` or `Update`"));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    problems.push(invalid(`${path}.fieldsType`, { value: fieldsType }, "must be `FieldsV1`"));
  }
  if (utf8Length(manager) > managerBytesMax) problems.push(tooLong(`${path}.manager`, managerBytesMax));
  problems.push(...unprintable(manager).map((detail) => invalid(`${path}.manager`, { value: manager }, detail)));
  if (utf8Length(textAt(entry, "subresource")) > subresourceBytesMax) {
    problems.push(tooLong(`${path}.subresource`, subresourceBytesMax));
  }
  return problems;
}

function unprintable(text: string): string[] {
  const details: string[] = [];
  let at = 0;
  for (const character of text) {
    // A character is not printable if `quote` has to escape it.
    if (character !== '"' && character !== "\\" && quote(character).startsWith('"\\')) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      details.push(`invalid character U+${code} (at position ${printInteger(at)})`);
    }
    at += utf8Length(character);
  }
  return details;
}

import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { type FieldStrictness, otherVersionStatus, readRequestBody, strictText } from "../codec/request-body.ts";
import { compareBytes } from "../codec/go-text.ts";
import { headerOf, type ServerRequest } from "../http/handler.ts";
import { apiVersionOf, type Call } from "../registry/call.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { badRequest } from "../request/option-problem.ts";
import { StatusError } from "../status/status.ts";
import { textAt } from "../values/fields.ts";

/** How an object is to be read. */
export interface ReadOptions {
  readonly fieldValidation: FieldStrictness;
  /** The same resource in another version, for what is said of an object that is of that. */
  readonly inVersion?: (version: string) => ServedKind | undefined;
}

/** Reads the object of a create or an update as its kind has it. Throws a `StatusError` with the answer of the real server. */
export async function readSentObject(
  request: ServerRequest,
  call: Pick<Call, "kind" | "warn" | "emptied">,
  { fieldValidation, inVersion = () => undefined }: ReadOptions,
): Promise<JsonRecord> {
  const { kind, warn } = call;
  const { isCustom, kind: word } = kind.resource;
  const expected = { apiVersion: apiVersionOf(kind), kind: word };
  const read = readRequestBody({
    body: await request.body(),
    contentType: headerOf(request.headers, "content-type") ?? "",
    expected,
    isCustom,
    // What a custom resource has too much is found later; all complaints are told at once.
    fieldValidation: isCustom && fieldValidation === "Strict" ? "Warn" : fieldValidation,
    takesOtherVersions: true,
  });
  for (const path of read.emptied) call.emptied?.add(path);
  const said = isCustom ? saidBy(read.object) : expected;
  const isOther = said.apiVersion !== expected.apiVersion || said.kind !== word;
  const { object, complaints } = isOther
    ? { object: read.object, complaints: strangeFields(kind, read.object, inVersion) }
    : kind.complete(read.object, fieldValidation);
  const all = fieldValidation === "Ignore" ? [] : [...read.warnings, ...complaints];
  if (fieldValidation === "Strict" && all.length > 0) {
    const version = said.apiVersion.slice(said.apiVersion.indexOf("/") + 1);
    const told = `${said.kind} in version ${quote(version)} cannot be handled as a ${said.kind}`;
    throw badRequest(`${told}: ${strictText(all)}`);
  }
  for (const text of all) warn(text);
  if (said.apiVersion !== expected.apiVersion)
    throw new StatusError(otherVersionStatus(said.apiVersion, expected.apiVersion));
  return object;
}

function saidBy(object: JsonRecord): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: textAt(object, "apiVersion"), kind: textAt(object, "kind") };
}

/**
 * What a custom resource has too much that is not of the endpoint's kind and version: by the version that it says; everything
 * in a version that nobody knows; of something else altogether only what all objects have in common is known.
 */
function strangeFields(
  kind: ServedKind,
  object: JsonRecord,
  inVersion: (version: string) => ServedKind | undefined,
): readonly string[] {
  const { group, kind: word } = kind.resource;
  const said = saidBy(object);
  const slash = said.apiVersion.indexOf("/");
  const isRelated = said.kind === word && said.apiVersion.slice(0, Math.max(0, slash)) === group;
  const other = isRelated ? inVersion(said.apiVersion.slice(slash + 1)) : undefined;
  if (other !== undefined) return other.complete(object, "Warn").complaints;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const common = kind.complete({ apiVersion: apiVersionOf(kind), kind: word, metadata }, "Warn").complaints;
  if (!isRelated) return common;
  const fields = Object.keys(object).filter((name) => !["apiVersion", "kind", "metadata"].includes(name));
  return [...common, ...fields.sort(compareBytes).map((name) => `unknown field ${quote(name)}`)];
}

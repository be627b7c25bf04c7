import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { type FieldStrictness, otherVersionStatus, readRequestBody, strictText } from "../codec/request-body.ts";
import { compareBytes } from "../codec/go-text.ts";
import { headerOf, type ServerRequest } from "../http/handler.ts";
import { apiVersionOf, type Call } from "../registry/call.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { badRequest } from "../request/option-problem.ts";
import { StatusError } from "../status/status.ts";
import { textAt } from "../values/fields.ts";

/** Options of {@link readSentObject}. */
export interface ReadOptions {
  readonly fieldValidation: FieldStrictness;
  /** Returns the same resource in another version, to report the unknown fields of an object that was sent in that version. */
  readonly inVersion?: (version: string) => ServedKind | undefined;
}

/**
 * Reads the body of a create or update, with defaults set and unknown fields pruned. Throws the same `StatusError` as
 * kube-apiserver.
 */
export async function readSentObject(
  request: ServerRequest,
  call: Pick<Call, "kind" | "warn" | "emptyPaths">,
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
    // The unknown fields of a custom resource are found by `complete` below; strict validation must report all problems at once.
    fieldValidation: isCustom && fieldValidation === "Strict" ? "Warn" : fieldValidation,
    takesOtherVersions: true,
  });
  for (const path of read.emptyPaths) call.emptyPaths?.add(path);
  const sentType = isCustom ? typeMetaOf(read.object) : expected;
  const isOther = sentType.apiVersion !== expected.apiVersion || sentType.kind !== word;
  const { object, strictErrors } = isOther
    ? { object: read.object, strictErrors: unknownFieldsOf(kind, read.object, inVersion) }
    : kind.complete(read.object, fieldValidation);
  const all = fieldValidation === "Ignore" ? [] : [...read.warnings, ...strictErrors];
  if (fieldValidation === "Strict" && all.length > 0) {
    const version = sentType.apiVersion.slice(sentType.apiVersion.indexOf("/") + 1);
    const message = `${sentType.kind} in version ${quote(version)} cannot be handled as a ${sentType.kind}`;
    throw badRequest(`${message}: ${strictText(all)}`);
  }
  for (const text of all) warn(text);
  if (sentType.apiVersion !== expected.apiVersion)
    throw new StatusError(otherVersionStatus(sentType.apiVersion, expected.apiVersion));
  return object;
}

function typeMetaOf(object: JsonRecord): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: textAt(object, "apiVersion"), kind: textAt(object, "kind") };
}

/**
 * Returns the unknown fields of a custom resource whose kind or version is not that of the endpoint. A served version has its own schema;
 * in an unknown version every field but the type and metadata is unknown; for another kind only the metadata is checked.
 */
function unknownFieldsOf(
  kind: ServedKind,
  object: JsonRecord,
  inVersion: (version: string) => ServedKind | undefined,
): readonly string[] {
  const { group, kind: word } = kind.resource;
  const sentType = typeMetaOf(object);
  const slash = sentType.apiVersion.indexOf("/");
  const isRelated = sentType.kind === word && sentType.apiVersion.slice(0, Math.max(0, slash)) === group;
  const other = isRelated ? inVersion(sentType.apiVersion.slice(slash + 1)) : undefined;
  if (other !== undefined) return other.complete(object, "Warn").strictErrors;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const common = kind.complete({ apiVersion: apiVersionOf(kind), kind: word, metadata }, "Warn").strictErrors;
  if (!isRelated) return common;
  const fields = Object.keys(object).filter((name) => !["apiVersion", "kind", "metadata"].includes(name));
  return [...common, ...fields.sort(compareBytes).map((name) => `unknown field ${quote(name)}`)];
}

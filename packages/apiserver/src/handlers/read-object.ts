import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import { type FieldStrictness, readRequestBody, strictText } from "../codec/request-body.ts";
import { headerOf, type ServerRequest } from "../http/handler.ts";
import { apiVersionOf, type Call } from "../registry/call.ts";
import { badRequest } from "../request/option-problem.ts";

/** Reads the object of a create or an update as its kind has it. Throws a `StatusError` with the answer of the real server. */
export async function readSentObject(
  request: ServerRequest,
  call: Pick<Call, "kind" | "warn" | "emptied">,
  fieldValidation: FieldStrictness,
): Promise<JsonRecord> {
  const { kind, warn } = call;
  const { isCustom, kind: word, version } = kind.resource;
  const read = readRequestBody({
    body: await request.body(),
    contentType: headerOf(request.headers, "content-type") ?? "",
    expected: { apiVersion: apiVersionOf(kind), kind: word },
    isCustom,
    // What a custom resource has too much is found later; all complaints are told at once.
    fieldValidation: isCustom && fieldValidation === "Strict" ? "Warn" : fieldValidation,
  });
  for (const path of read.emptied) call.emptied?.add(path);
  const { object, complaints } = kind.complete(read.object, fieldValidation);
  const all = fieldValidation === "Ignore" ? [] : [...read.warnings, ...complaints];
  if (fieldValidation === "Strict" && all.length > 0) {
    const told = `${word} in version ${quote(version)} cannot be handled as a ${word}`;
    throw badRequest(`${told}: ${strictText(all)}`);
  }
  for (const text of all) warn(text);
  return object;
}

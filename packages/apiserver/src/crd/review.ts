// ConversionReview requests and responses.

import { isList, isRecord, type JsonRecord, type Random, uuid } from "@homeostat/core";
import { limitProblem } from "../admission/webhooks/response-limits.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { readJson } from "../codec/read-value.ts";
import { readYaml } from "../codec/read-yaml.ts";
import { interpretKind } from "../codec/request-object.ts";
import { fieldOf, recordOf, textOf } from "../values/properties.ts";

/** A request to a conversion webhook. */
export interface Review {
  readonly uid: string;
  /** apiVersion of the ConversionReview. */
  readonly apiVersion: string;
  readonly text: string;
}

const group = "apiextensions.k8s.io";
const kind = "ConversionReview";

/** Builds the request to convert objects; undefined if the webhook supports no known review version. */
export function makeReview(
  objects: readonly JsonRecord[],
  { apiVersion, reviewVersions, random }: { apiVersion: string; reviewVersions: readonly string[]; random: Random },
): Review | undefined {
  const version = reviewVersions.find((each) => each === "v1" || each === "v1beta1");
  if (version === undefined) return undefined;
  const uid = uuid(random);
  const text = encodeJson({
    kind,
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects },
    // The real server includes an empty response.
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
  return { uid, apiVersion: `${group}/${version}`, text: `${text}\n` };
}

/** The objects of a response, or the reason why there are none. */
export type ReviewResult = { readonly objects: readonly unknown[] } | { readonly problem: string };

/** Parses the response of a conversion webhook. */
export function readReview(text: string, { uid, apiVersion }: Review): ReviewResult {
  const exceeded = limitProblem(text, "ConversionReview");
  if (exceeded !== undefined) return { problem: exceeded };
  let value: unknown;
  try {
    // A response that does not start with a brace is parsed as YAML, as in the real server.
    const json = text.trimStart().startsWith("{") ? text : encodeJson(readYaml(text).value);
    const problem = kindProblem(interpretKind(json), apiVersion);
    if (problem !== undefined) return { problem };
    value = readJson(json).value;
  } catch (error) {
    if (error instanceof DecodeError) return { problem: error.message };
    throw error;
  }
  const response = fieldOf(value, "response");
  if (!isRecord(response)) return { problem: "no response provided" };
  const responseUid = textOf(response, "uid");
  // Only v1 requires the uid to match.
  if (apiVersion === `${group}/v1` && responseUid !== uid) {
    return { problem: `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(responseUid)}` };
  }
  const result = recordOf(response, "result");
  const status = textOf(result, "status");
  if (status !== "Success") {
    const message = textOf(result, "message");
    return { problem: message === "" ? `response.result.status was '${status}', not 'Success'` : message };
  }
  const converted = fieldOf(response, "convertedObjects");
  return { objects: isList(converted) ? converted : [] };
}

const reviews = [`${group}/v1`, `${group}/v1beta1`];

function kindProblem(
  declared: { readonly apiVersion: string; readonly kind: string },
  expected: string,
): string | undefined {
  if (declared.kind === "" || declared.apiVersion === "") {
    // A response that names no kind is accepted, because the real server decodes it into the expected type.
    return undefined;
  }
  if (declared.kind !== kind || !reviews.includes(declared.apiVersion)) {
    return `no kind ${JSON.stringify(declared.kind)} is registered for version ${JSON.stringify(declared.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  }
  if (declared.apiVersion === expected) return undefined;
  const name = (apiVersion: string): string => `${apiVersion.slice(group.length + 1)}.${kind}`;
  return `converting (${name(declared.apiVersion)}) to (${name(expected)}): unknown conversion`;
}

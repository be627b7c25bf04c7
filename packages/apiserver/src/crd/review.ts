// What is sent to a conversion webhook, and what is read from its answer.

import { isList, isRecord, type JsonRecord, type Random, uuid } from "@homeostat/core";
import { limitProblem } from "../admission/webhooks/response-limits.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { readJson } from "../codec/read-value.ts";
import { readYaml } from "../codec/read-yaml.ts";
import { interpretKind } from "../codec/request-object.ts";
import { fieldOf, recordOf, textOf } from "./read.ts";

/** A request to a conversion webhook. */
export interface Review {
  readonly uid: string;
  /** The `apiVersion` of the review. */
  readonly apiVersion: string;
  readonly text: string;
}

const group = "apiextensions.k8s.io";
const kind = "ConversionReview";

/** The request to convert objects; undefined when webhook and server have no language in common. */
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
    // The real server sends an empty answer along.
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
  return { uid, apiVersion: `${group}/${version}`, text: `${text}\n` };
}

/** The objects in an answer, or why there are none. */
export type Reviewed = { readonly objects: readonly unknown[] } | { readonly problem: string };

/** Reads the answer to a review. */
export function readReview(text: string, { uid, apiVersion }: Review): Reviewed {
  const exceeded = limitProblem(text, "ConversionReview");
  if (exceeded !== undefined) return { problem: exceeded };
  let value: unknown;
  try {
    // What is no JSON is taken for YAML.
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
  const answered = textOf(response, "uid");
  // Older reviews are not held to their uid.
  if (apiVersion === `${group}/v1` && answered !== uid) {
    return { problem: `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}` };
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

function kindProblem(said: { readonly apiVersion: string; readonly kind: string }, wanted: string): string | undefined {
  if (said.kind === "" || said.apiVersion === "") {
    // A typed client knows what it asked for.
    return undefined;
  }
  if (said.kind !== kind || !reviews.includes(said.apiVersion)) {
    return `no kind ${JSON.stringify(said.kind)} is registered for version ${JSON.stringify(said.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  }
  if (said.apiVersion === wanted) return undefined;
  const name = (apiVersion: string): string => `${apiVersion.slice(group.length + 1)}.${kind}`;
  return `converting (${name(said.apiVersion)}) to (${name(wanted)}): unknown conversion`;
}

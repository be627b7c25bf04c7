import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { ReviewError } from "../errors.ts";
import { type ReadJsonOptions, readJson } from "./read-json.ts";

/**
 * Maximum length of a uid; those of API servers have 36 characters. The response repeats it, so it must not be
 * arbitrary text.
 */
const uidLengthMax = 256;

/**
 * Parses a review and returns its request and uid.
 *
 * Throws a {@link ReviewError} if the bytes are not such a review, and a `ReviewTooLargeError` if they exceed a limit.
 */
export function readReview(
  body: Uint8Array,
  { apiVersion, kind, ...limits }: { readonly apiVersion: string; readonly kind: string } & ReadJsonOptions,
): { request: JsonRecord; uid: string } {
  if (body.length === 0) throw new ReviewError("it is empty");
  const review = readJson(body, limits);
  if (!isRecord(review)) throw new ReviewError("it is not a JSON object");
  if (ownValue(review, "apiVersion") !== apiVersion || ownValue(review, "kind") !== kind) {
    throw new ReviewError(`it is not a ${kind} of ${apiVersion}`);
  }
  const request = ownValue(review, "request");
  if (!isRecord(request)) throw new ReviewError("it has no request");
  const uid = ownValue(request, "uid");
  if (typeof uid !== "string" || uid === "" || uid.length > uidLengthMax) {
    throw new ReviewError("request.uid is not a valid uid");
  }
  return { request, uid };
}

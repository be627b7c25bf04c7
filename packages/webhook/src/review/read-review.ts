import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { ReviewError } from "../errors.ts";
import { type ReadJsonOptions, readJson } from "./read-json.ts";

/** A uid of an API server has 36 characters. The response repeats it, so it must not be an arbitrary text. */
const uidLengthMax = 256;

/**
 * Returns the request of a review and its uid.
 *
 * Throws a {@link ReviewError} when the bytes are no such review, and a `ReviewTooLargeError` when they exceed a limit.
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
    throw new ReviewError("request.uid is not the uid of a request");
  }
  return { request, uid };
}

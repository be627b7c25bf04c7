import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { ReviewError } from "../errors.ts";
import { readJson } from "./read-json.ts";

/** A uid of an API server has 36 characters. What is echoed should not be an arbitrary text. */
const uidLengthMax = 256;

/** The request of a review, with its uid. Throws a {@link ReviewError} where the body is no such review. */
export function readReview(
  body: Uint8Array,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): { request: JsonRecord; uid: string } {
  const review = readJson(body);
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

import { cutText, isList, isRecord, ownValue } from "@homeostat/core";
import { type Conversion, ConversionError } from "@homeostat/schema";
import { ReviewError, ReviewTooLargeError } from "../errors.ts";
import { defaultReviewLimits, envelopeValuesMax, type ReviewLimits } from "../review/limits.ts";
import { readJson } from "../review/read-json.ts";
import { readReview } from "../review/read-review.ts";
import {
  badRequest,
  busyResponse,
  type ChunkedResponse,
  publicMessage,
  type WebhookResponse,
} from "../review/response.ts";
import { runAtOnce, type Steps } from "../work/slices.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { splitReview } from "./split-review.ts";

const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };

/** Number of failures after which the conversion stops: one is enough for the whole request to fail. */
const failuresMax = 10;
const notesMax = 10;
const largeBytes = 64 * 1024;

/** Options of {@link convertReview}. */
export interface ConvertReviewOptions {
  readonly limits?: ReviewLimits | undefined;
  /** Reserves memory for the response; returns false if there is none left. Default: no limit. */
  readonly reserve?: ((bytes: number) => boolean) | undefined;
}

/**
 * Handles a ConversionReview with the conversions of any number of resources.
 *
 * Never throws. The response contains every object in the order of the request. If an object cannot be converted, the
 * whole request fails with a message that names the failed objects. Errors of conversion functions are returned in
 * `failures`.
 *
 * Blocks until it is done. A `WebhookServer` does the same work in slices.
 */
export function handleConversionReview(conversions: readonly Conversion[], body: Uint8Array): WebhookResponse {
  const response = runAtOnce(convertReview(conversions, body));
  return {
    ...response,
    body: typeof response.body === "string" ? response.body : Buffer.concat(response.body).toString("utf8"),
  };
}

/** Handles a ConversionReview in small steps: each scans some bytes, or converts one object. Never throws. */
export function* convertReview(
  conversions: readonly Conversion[],
  body: Uint8Array,
  { limits = defaultReviewLimits, reserve = () => true }: ConvertReviewOptions = {},
): Steps<ChunkedResponse> {
  try {
    const { envelope, objects } = yield* splitReview(body, limits);
    const { request, uid } = readReview(envelope, { ...review, what: "the review", valuesMax: envelopeValuesMax });
    const desired = ownValue(request, "desiredAPIVersion");
    const rest = ownValue(request, "objects");
    if (typeof desired !== "string") throw new ReviewError("request.desiredAPIVersion is missing");
    // A list that only JSON.parse finds has an escaped key, which no API server sends.
    if (objects === undefined || !isList(rest) || rest.length > 0)
      throw new ReviewError("request.objects is not a list");
    return yield* convertAll(conversions, { uid, desired, objects, limits, reserve });
  } catch (error) {
    if (error instanceof ReviewError) return badRequest(error);
    throw error;
  }
}

interface Batch {
  readonly uid: string;
  readonly desired: string;
  readonly objects: readonly Uint8Array[];
  readonly limits: ReviewLimits;
  readonly reserve: (bytes: number) => boolean;
}

function* convertAll(conversions: readonly Conversion[], batch: Batch): Steps<ChunkedResponse> {
  const { uid, desired, objects, limits, reserve } = batch;
  const head = JSON.stringify({ ...review, response: { uid, result: { status: "Success" } } }).slice(0, -2);
  const writer = new ChunkWriter(reserve);
  const failures: unknown[] = [];
  const notes: string[] = [];
  let noteCount = 0;
  let hasRoom = writer.write(`${head},"convertedObjects":[`);
  for (let at = 0; at < objects.length && failures.length < failuresMax; at += 1) {
    try {
      const { object, warnings } = yield* convertOne(conversions, { bytes: objects[at], at, desired, limits });
      if (failures.length === 0) hasRoom = writer.write(`${at === 0 ? "" : ","}${JSON.stringify(object)}`);
      noteCount += warnings.length;
      notes.push(...warnings.slice(0, notesMax - notes.length));
    } catch (error) {
      // An element that is not JSON makes the whole review malformed.
      if (error instanceof ReviewError && !(error instanceof ReviewTooLargeError)) throw error;
      failures.push(error);
    }
    if (!hasRoom) break;
    yield;
  }
  if (noteCount > notes.length) notes.push(`and ${noteCount - notes.length} more`);
  const report = notes.length > 0 ? { notes } : {};
  if (failures.length > 0) return { ...failureResponse(batch, failures), failures, ...report };
  const chunks = hasRoom && writer.write("]}}") ? writer.finish() : undefined;
  return chunks === undefined ? { ...busyResponse(), ...report } : { status: 200, body: chunks, ...report };
}

interface Work {
  readonly bytes: Uint8Array | undefined;
  readonly at: number;
  readonly desired: string;
  readonly limits: ReviewLimits;
}

function* convertOne(
  conversions: readonly Conversion[],
  { bytes = new Uint8Array(), at, desired, limits }: Work,
): Steps<ReturnType<Conversion["convert"]>> {
  const { objectValuesMax: valuesMax, objectBytesMax: bytesMax } = limits;
  const object = readJson(bytes, { what: `request.objects[${at}]`, valuesMax, bytesMax });
  // Parsing, converting and encoding a large object are separate steps.
  if (bytes.length > largeBytes) yield;
  const converted = conversionFor(conversions, object, at).convert(object, desired);
  if (bytes.length > largeBytes) yield;
  return converted;
}

function failureResponse({ uid, objects }: Batch, failures: readonly unknown[]): WebhookResponse {
  const shown = failures.map((failure) => cutText(publicMessage(failure), 1024));
  const count =
    failures.length < failuresMax
      ? `${failures.length} of ${objects.length} objects failed`
      : `the conversion of ${objects.length} objects stopped after ${failures.length} failures`;
  const result = { status: "Failure", message: `${count}: ${shown.join(" ")}` };
  return { status: 200, body: JSON.stringify({ ...review, response: { uid, convertedObjects: [], result } }) };
}

function conversionFor(conversions: readonly Conversion[], object: unknown, at: number): Conversion {
  const apiVersion = isRecord(object) ? ownValue(object, "apiVersion") : undefined;
  const kind = isRecord(object) ? ownValue(object, "kind") : undefined;
  const group = typeof apiVersion === "string" ? apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf("/"))) : "";
  const found = conversions.find(({ resource }) => resource.group === group && resource.kind === kind);
  if (found !== undefined) return found;
  const problem = `no conversion is registered for ${describe(kind)} of ${describe(apiVersion)}`;
  throw new ConversionError(`request.objects[${at}]`, problem);
}

function describe(value: unknown): string {
  return typeof value === "string" ? cutText(JSON.stringify(value), 100) : "an object without a kind";
}

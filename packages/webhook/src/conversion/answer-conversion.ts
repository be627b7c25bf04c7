import { cutText, isList, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";
import type { Conversion } from "@homeostat/schema";
import { ReviewError } from "../errors.ts";
import { readReview } from "../review/read-review.ts";
import { badRequest, publicMessage, type Reply } from "../review/reply.ts";

const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };

/** So many failures are told one by one; the rest are counted. */
const failuresShownMax = 10;

/**
 * Answers a ConversionReview with the conversions of any number of resources.
 *
 * Never throws. The answer has every object at its place or, as one object that cannot be converted fails the whole
 * request, a message that names each of those. What a conversion function threw is handed back in `failures`.
 */
export function answerConversion(conversions: readonly Conversion[], body: Uint8Array): Reply {
  try {
    const { request, uid } = readReview(body, review);
    const desired = ownValue(request, "desiredAPIVersion");
    const objects = ownValue(request, "objects");
    if (typeof desired !== "string") throw new ReviewError("request.desiredAPIVersion is missing");
    if (!isList(objects)) throw new ReviewError("request.objects is no list");
    return convertAll(conversions, { uid, desired, objects });
  } catch (error) {
    if (error instanceof ReviewError) return badRequest(error);
    throw error;
  }
}

interface Batch {
  readonly uid: string;
  readonly desired: string;
  readonly objects: readonly unknown[];
}

function convertAll(conversions: readonly Conversion[], { uid, desired, objects }: Batch): Reply {
  const convertedObjects: KubeObject[] = [];
  const failures: unknown[] = [];
  const notes: string[] = [];
  for (const object of objects) {
    try {
      const converted = conversionFor(conversions, object).convert(object, desired);
      convertedObjects.push(converted.object);
      notes.push(...converted.warnings);
    } catch (error) {
      failures.push(error);
    }
  }
  const common = notes.length > 0 ? { notes } : {};
  if (failures.length === 0) return { ...respond({ uid, convertedObjects, result: { status: "Success" } }), ...common };
  const shown = failures.slice(0, failuresShownMax).map((failure) => cutText(publicMessage(failure), 1024));
  const more = failures.length - shown.length;
  const message = [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
  const result = { status: "Failure", message: `${failures.length} of ${objects.length} objects failed: ${message}` };
  return { ...respond({ uid, convertedObjects: [], result }), failures, ...common };
}

function conversionFor(conversions: readonly Conversion[], object: unknown): Conversion {
  const apiVersion = isRecord(object) ? ownValue(object, "apiVersion") : undefined;
  const kind = isRecord(object) ? ownValue(object, "kind") : undefined;
  const group = typeof apiVersion === "string" ? apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf("/"))) : "";
  const found = conversions.find(({ resource }) => resource.group === group && resource.kind === kind);
  if (found !== undefined) return found;
  throw new ReviewError(`there is no conversion for ${describe(kind)} of ${describe(apiVersion)}`);
}

function describe(value: unknown): string {
  return typeof value === "string" ? cutText(JSON.stringify(value), 100) : "something without a name";
}

function respond(response: JsonRecord): Reply {
  return { status: 200, body: JSON.stringify({ ...review, response }) };
}

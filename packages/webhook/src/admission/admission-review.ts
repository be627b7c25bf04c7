import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { AdmissionDeniedError, ReviewError } from "../errors.ts";
import { readReview } from "../review/read-review.ts";
import { defaultReviewLimits, envelopeValuesMax, type ReviewLimits } from "../review/limits.ts";
import { badRequest, type WebhookResponse } from "../review/response.ts";
import { countValues } from "./count-values.ts";
import type { Admission, AdmissionWebhook } from "./define-admission.ts";

const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };

/** Message for the user when a webhook fails. The error is only logged, because its text may contain anything. */
const failedMessage = "the webhook failed; see its log for the reason";

/** Options of {@link handleAdmissionReview}. */
export interface AdmissionReviewOptions {
  /** Aborts when the API server no longer waits. */
  readonly signal: AbortSignal;
  /** Waits for a turn of the event loop between two steps of the work. Default: does not wait. */
  readonly turn?: (() => Promise<void>) | undefined;
  readonly limits?: ReviewLimits | undefined;
}

/**
 * Handles an AdmissionReview: from the bytes of a request to the response.
 *
 * Never rejects. A body that is not a review gets 400, one that exceeds a limit 413. An error of the webhook function
 * becomes a denial with a constant message and is returned in `failures`; an `AdmissionDeniedError` becomes a denial
 * with its own message.
 */
export async function handleAdmissionReview(
  webhook: AdmissionWebhook,
  body: Uint8Array,
  { signal, turn = async () => undefined, limits = defaultReviewLimits }: AdmissionReviewOptions,
): Promise<WebhookResponse> {
  const { objectValuesMax } = limits;
  let request: JsonRecord;
  let uid: string;
  try {
    await turn();
    // The object and the old object.
    const valuesMax = 2 * objectValuesMax + envelopeValuesMax;
    ({ request, uid } = readReview(body, { ...review, what: "the review", valuesMax }));
  } catch (error) {
    if (error instanceof ReviewError) return badRequest(error);
    throw error;
  }
  try {
    await turn();
    if (countValues(ownValue(request, "object"), objectValuesMax) > objectValuesMax) {
      const message = `the object has more than ${objectValuesMax} values, which is more than the webhook can convert`;
      const denial = { code: 413, reason: "RequestEntityTooLarge", message, causes: [] };
      return respond(request, uid, { warnings: [], denial });
    }
    return respond(request, uid, await webhook.decide(request, { uid, signal, turn }));
  } catch (error) {
    if (error instanceof ReviewError) return badRequest(error);
    if (error instanceof AdmissionDeniedError) {
      const { status: code, reason, message } = error;
      return respond(request, uid, { warnings: [], denial: { code, reason, message, causes: [] } });
    }
    const denial = { code: 500, reason: "InternalError", message: failedMessage, causes: [] };
    return { ...respond(request, uid, { warnings: [], denial }), failures: [error] };
  }
}

function respond(request: JsonRecord, uid: string, { warnings, denial, patch }: Admission): WebhookResponse {
  const response = {
    uid,
    allowed: denial === undefined,
    ...(denial !== undefined && { status: statusOf(request, denial) }),
    ...(denial === undefined &&
      patch !== undefined &&
      patch.length > 0 && { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") }),
    ...(warnings.length > 0 && { warnings }),
  };
  return { status: 200, body: JSON.stringify({ ...review, response }) };
}

function statusOf(request: JsonRecord, denial: NonNullable<Admission["denial"]>): JsonRecord {
  const { code, reason, message, causes } = denial;
  const details = { ...subjectOf(request), causes };
  return { status: "Failure", code, reason, message, ...(causes.length > 0 && { details }) };
}

/** Returns the object of a request, with which `kubectl` starts its message: `The Tenant "acme" is invalid`. */
function subjectOf(request: JsonRecord): JsonRecord {
  const kind = ownValue(request, "kind");
  const subject: JsonRecord = {};
  for (const [field, value] of [
    ["name", ownValue(request, "name")],
    ["group", isRecord(kind) ? ownValue(kind, "group") : undefined],
    ["kind", isRecord(kind) ? ownValue(kind, "kind") : undefined],
  ] as const)
    if (typeof value === "string" && value !== "") subject[field] = value;
  return subject;
}

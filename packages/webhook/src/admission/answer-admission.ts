import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { AdmissionDeniedError, ReviewError } from "../errors.ts";
import { readReview } from "../review/read-review.ts";
import { badRequest, type Reply } from "../review/reply.ts";
import type { Admission, AdmissionWebhook } from "./define-admission.ts";

const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };

/** What a user sees when a webhook fails. The reason is for the log: an exception's text may hold anything. */
const failedMessage = "the webhook failed; its log has the reason";

/**
 * Answers an AdmissionReview: from the bytes of a request to the bytes of the answer.
 *
 * Never rejects. A body that is no review is answered with 400. What the webhook's own functions throw becomes a denial with
 * a constant message and is handed back in `failures`; an `AdmissionDeniedError` is a denial with its own words.
 */
export async function answerAdmission(
  webhook: AdmissionWebhook,
  body: Uint8Array,
  { signal }: { readonly signal: AbortSignal },
): Promise<Reply> {
  let request: JsonRecord;
  let uid: string;
  try {
    ({ request, uid } = readReview(body, review));
  } catch (error) {
    if (error instanceof ReviewError) return badRequest(error);
    throw error;
  }
  try {
    return respond(request, uid, await webhook.decide(request, { uid, signal }));
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

function respond(request: JsonRecord, uid: string, { warnings, denial, patch }: Admission): Reply {
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

/** What a request is about, by which `kubectl` begins what it prints of the causes: `The Tenant "acme" is invalid`. */
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

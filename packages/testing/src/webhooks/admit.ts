import {
  applyJsonPatch,
  type DeepReadonly,
  isList,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
} from "@homeostat/core";
import { type AdmissionUser, type AdmissionWebhook, handleAdmissionReview, type Operation } from "@homeostat/webhook";

/** A request to an admission webhook. */
export interface AdmitRequest<O extends DeepReadonly<KubeObject> = DeepReadonly<KubeObject>> {
  /** The new object; missing for a deletion. */
  readonly object?: O;
  /** The object before an update or a deletion. */
  readonly old?: O;
  /** Default: `CREATE`, `UPDATE` or `DELETE`, depending on the objects. */
  readonly operation?: Operation;
  /** Default: the user `test`. */
  readonly user?: Partial<AdmissionUser>;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

/** Response of an admission webhook. */
export interface AdmitResult<O extends DeepReadonly<KubeObject> = DeepReadonly<KubeObject>> {
  readonly allowed: boolean;
  /** The message of a denial. */
  readonly message: string | undefined;
  /** The denied fields, such as `spec.replicas`. */
  readonly fields: readonly string[];
  readonly warnings: readonly string[];
  /** The object with the patch of the webhook; undefined after a denial and for a deletion. */
  readonly object: O | undefined;
}

/**
 * Sends a request to an admission webhook without a server, as the API server would: as an AdmissionReview in JSON.
 *
 * An error of the webhook function, which clients see as a denial without its message, is thrown.
 *
 * @example
 * const { allowed, message } = await admit(sizeGate, { object: objectOf(Site, { metadata, spec: { replicas: 11 } }) });
 */
export async function admit<O extends DeepReadonly<KubeObject>>(
  webhook: AdmissionWebhook,
  request: AdmitRequest<O>,
): Promise<AdmitResult<O>>;
export async function admit(webhook: AdmissionWebhook, request: AdmitRequest): Promise<object> {
  const { object, old, user = {}, subresource = "", dryRun = false } = request;
  const { metadata = {} } = object ?? old ?? {};
  const { group, version, kind, plural } = webhook.resource;
  const operation = request.operation ?? (object === undefined ? "DELETE" : old === undefined ? "CREATE" : "UPDATE");
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "00000000-0000-4000-8000-000000000000",
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      subResource: subresource,
      name: metadata.name ?? "",
      namespace: metadata.namespace ?? "",
      operation,
      userInfo: { username: "test", uid: "", groups: ["system:authenticated"], extra: {}, ...user },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun,
    },
  };
  const { signal } = new AbortController();
  const {
    status,
    body,
    failures = [],
  } = await handleAdmissionReview(webhook, Buffer.from(JSON.stringify(review)), { signal });
  const [failure] = failures;
  if (failure !== undefined)
    throw failure instanceof Error ? failure : new Error(`The webhook ${webhook.path} failed`, { cause: failure });
  const answer: unknown = status === 200 ? JSON.parse(body) : undefined;
  const response = recordAt(answer, "response");
  if (response === undefined) throw new Error(`The webhook ${webhook.path} rejected the review: ${body}`);
  const allowed = ownValue(response, "allowed") === true;
  const denial = recordAt(response, "status") ?? {};
  const causes = ownValue(recordAt(denial, "details") ?? {}, "causes");
  const patch = ownValue(response, "patch");
  const patched = (): unknown =>
    typeof patch === "string" ? applyJsonPatch(object, JSON.parse(Buffer.from(patch, "base64").toString())) : object;
  return {
    allowed,
    message: allowed ? undefined : ownValue(denial, "message"),
    fields: isList(causes) ? causes.map(fieldOf).filter((field) => field !== undefined) : [],
    warnings: ownValue(response, "warnings") ?? [],
    object: allowed && object !== undefined ? patched() : undefined,
  };
}

function recordAt(value: unknown, field: string): JsonRecord | undefined {
  const found = isRecord(value) ? ownValue(value, field) : undefined;
  return isRecord(found) ? found : undefined;
}

function fieldOf(cause: unknown): string | undefined {
  const field = isRecord(cause) ? ownValue(cause, "field") : undefined;
  return typeof field === "string" ? field : undefined;
}

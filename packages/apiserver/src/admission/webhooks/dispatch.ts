// Calls admission webhooks: the parts that mutating and validating webhooks share.

import { quote } from "@homeostat/cel";
import { type JsonRecord, type Random, uuid } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { encodeJson } from "../../codec/encode-json.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { badRequestStatus, forbiddenStatus, internalErrorStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import type { AdmissionRequest } from "../admission.ts";
import { Conditions } from "../cel/conditions.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { resourceOf } from "../forbid.ts";
import type { Hook } from "./hook.ts";
import { type Equivalents, matchedKind, namespaceMatches, objectMatches } from "./match.ts";
import { readReviewResponse, type ReviewResponse, reviewOf } from "./review.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** Dependencies of webhook calls. */
export interface WebhookOptions {
  readonly reader: ClusterReader;
  readonly client: WebhookClient;
  readonly random: Random;
  /** For `authorizer` in match conditions. */
  readonly authorizer: Authorizer;
  readonly equivalents: Equivalents;
}

/** The objects of a request, converted to the version that a webhook matches. */
export interface VersionedObjects {
  readonly object: JsonRecord | undefined;
  readonly oldObject: JsonRecord | undefined;
}

/** The content of a call: the request, and its objects in the version `kind`. */
interface Review extends VersionedObjects {
  readonly request: AdmissionRequest;
  readonly kind: ServedKind;
  /** True for mutating webhooks. */
  readonly mayPatch: boolean;
}

/**
 * Reports whether webhooks are never called for a request. Admission configurations are exempt, because a broken
 * webhook could otherwise prevent its own removal.
 */
export function isExempt(request: AdmissionRequest): boolean {
  return resourceOf(request).endsWith(".admissionregistration.k8s.io");
}

/** Converts an object between two versions of its kind. */
export async function convertObject(
  object: JsonRecord | undefined,
  from: ServedKind,
  to: ServedKind,
): Promise<JsonRecord | undefined> {
  if (object === undefined || from === to) return object;
  return to.fromStored(await from.toStored(object));
}

/**
 * Returns the objects of a request in another version. The body of a subresource such as `scale` is the same in all
 * versions.
 */
export async function objectsInVersion(request: AdmissionRequest, kind: ServedKind): Promise<VersionedObjects> {
  const { object, oldObject, subresource } = request;
  const isWholeObject = subresource === "" || subresource === "status";
  if (!isWholeObject) return { object, oldObject };
  const [convertedObject, convertedOld] = [
    await convertObject(object, request.kind, kind),
    await convertObject(oldObject, request.kind, kind),
  ];
  return { object: convertedObject, oldObject: convertedOld };
}

/** Matches and calls webhooks. */
export class WebhookCaller {
  readonly #options: WebhookOptions;
  readonly #conditions: Conditions;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#conditions = new Conditions({ authorizer: options.authorizer });
  }

  /** Returns the kind in whose version a webhook is called for a request; undefined if it does not match. */
  async matchingKind(hook: Hook, request: AdmissionRequest): Promise<ServedKind | undefined> {
    if (!objectMatches(hook.objectSelector, request)) return undefined;
    const equivalents = hook.isEquivalentMatched ? this.#options.equivalents : undefined;
    const kind = matchedKind(hook.rules, request, equivalents);
    if (kind === undefined || !namespaceMatches(hook.namespaceSelector, request, this.#options.reader))
      return undefined;
    if (hook.matchConditions.length === 0) return kind;
    const verdict = this.#conditions.match(hook.matchConditions, {
      request,
      kind,
      ...(await objectsInVersion(request, kind)),
      isErrorIgnored: hook.isFailureIgnored,
    });
    if (verdict.error === undefined) return verdict.isMatch ? kind : undefined;
    const { group, plural: resource } = request.kind.resource;
    throw new StatusError(forbiddenStatus({ group, resource }, request.name, verdict.error));
  }

  /**
   * Calls a webhook and returns its response; undefined if the call failed and the failure policy is Ignore.
   *
   * @throws StatusError if the call failed and the failure policy is Fail, or for a dry run that the webhook does not
   * support.
   */
  async call(hook: Hook, review: Review): Promise<ReviewResponse | undefined> {
    const { request } = review;
    if (request.isDryRun && !hook.allowsDryRun) {
      throw new StatusError(badRequestStatus(`admission webhook ${quote(hook.name)} does not support dry run`));
    }
    try {
      return await this.#post(hook, review);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (hook.isFailureIgnored) return undefined;
      throw callFailure(hook, error);
    }
  }

  async #post(hook: Hook, review: Review): Promise<ReviewResponse> {
    const { request, mayPatch } = review;
    const { reviewVersion: version, timeoutSeconds } = hook;
    if (version === undefined) {
      const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
      throw new WebhookCallError(`could not create admission objects: ${why}`);
    }
    const uid = uuid(this.#options.random);
    const body = `${encodeJson(reviewOf({ ...review, uid, version }))}\n`;
    const text = await this.#options.client
      .post(hook.target, body, { timeoutSeconds, signal: request.signal })
      .catch((error: unknown) => {
        if (!(error instanceof WebhookCallError)) throw error;
        throw new WebhookCallError(`failed to call webhook: ${error.message}`, { cause: error });
      });
    const response = readReviewResponse(text, { uid, version, mayPatch });
    for (const warning of response.warnings) request.warn(warning);
    return response;
  }
}

/** Returns the 500 for a failed webhook call. */
export function callFailure(hook: Hook, error: Error): StatusError {
  return new StatusError(internalErrorStatus(`failed calling webhook ${quote(hook.name)}: ${error.message}`), {
    cause: error,
  });
}

// What asking a webhook has in common, whether it may change the object or not.

import { quote } from "@homeostat/cel";
import { type JsonRecord, type Random, uuid } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { encodeJson } from "../../codec/encode-json.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { badRequestStatus, forbiddenStatus, internalErrorStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import type { AdmissionRequest } from "../admission.ts";
import { Conditions } from "../cel/conditions.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { resourceOf } from "../forbid.ts";
import type { Hook } from "./hook.ts";
import { type Equivalents, matchedKind, namespaceMatches, objectMatches } from "./match.ts";
import { readAnswer, type ReviewAnswer, reviewOf } from "./review.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** What webhooks are asked with. */
export interface WebhookOptions {
  readonly reader: ClusterReader;
  readonly client: WebhookClient;
  readonly random: Random;
  /** For `authorizer` in conditions. */
  readonly authorizer: Authorizer;
  readonly equivalents: Equivalents;
}

/** Objects of a request in the version that a webhook wants. */
export interface SeenObjects {
  readonly object: JsonRecord | undefined;
  readonly oldObject: JsonRecord | undefined;
}

/** Configurations of admission are never sent to webhooks: nobody could repair them otherwise. */
export function isExempt(request: AdmissionRequest): boolean {
  return resourceOf(request).endsWith(".admissionregistration.k8s.io");
}

/** An object of one version in another of the same kind. */
export async function converted(
  object: JsonRecord | undefined,
  from: ServedKind,
  to: ServedKind,
): Promise<JsonRecord | undefined> {
  if (object === undefined || from === to) return object;
  return to.fromStored(await from.toStored(object));
}

/** The objects of a request as another version of their kind shows them. A part such as `scale` is the same in all. */
export async function objectsAs(request: AdmissionRequest, kind: ServedKind): Promise<SeenObjects> {
  const { object, oldObject, subresource } = request;
  const isWhole = subresource === "" || subresource === "status";
  if (!isWhole) return { object, oldObject };
  const [one, two] = [await converted(object, request.kind, kind), await converted(oldObject, request.kind, kind)];
  return { object: one, oldObject: two };
}

/** Asks webhooks. */
export class WebhookCaller {
  readonly #options: WebhookOptions;
  readonly #conditions: Conditions;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#conditions = new Conditions({ authorizer: options.authorizer });
  }

  /** The kind as which a webhook wants to see the object of a request; undefined when it does not want to. */
  async wants(hook: Hook, request: AdmissionRequest): Promise<ServedKind | undefined> {
    if (!objectMatches(hook.objectSelector, request)) return undefined;
    const equivalents = hook.isEquivalentMatched ? this.#options.equivalents : undefined;
    const kind = matchedKind(hook.rules, request, equivalents);
    if (kind === undefined || !namespaceMatches(hook.namespaceSelector, request, this.#options.reader))
      return undefined;
    if (hook.matchConditions.length === 0) return kind;
    const verdict = this.#conditions.match(hook.matchConditions, {
      request,
      kind,
      ...(await objectsAs(request, kind)),
      isErrorIgnored: hook.isFailureIgnored,
    });
    if (verdict.error === undefined) return verdict.isMatch ? kind : undefined;
    const { group, plural: resource } = request.kind.resource;
    throw new StatusError(forbiddenStatus({ group, resource }, request.name, verdict.error));
  }

  /**
   * Asks a webhook and returns what it said; undefined when it could not be asked and that does not matter.
   *
   * Throws a `StatusError` when it could not be asked and that does matter, and for a dry run that it cannot do.
   */
  async ask(
    hook: Hook,
    question: {
      readonly request: AdmissionRequest;
      readonly kind: ServedKind;
      readonly mayPatch: boolean;
    } & SeenObjects,
  ): Promise<ReviewAnswer | undefined> {
    const { request } = question;
    if (request.isDryRun && !hook.allowsDryRun) {
      throw new StatusError(badRequestStatus(`admission webhook ${quote(hook.name)} does not support dry run`));
    }
    try {
      return await this.#call(hook, question);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (hook.isFailureIgnored) return undefined;
      throw callFailure(hook, error);
    }
  }

  async #call(
    hook: Hook,
    question: {
      readonly request: AdmissionRequest;
      readonly kind: ServedKind;
      readonly mayPatch: boolean;
    } & SeenObjects,
  ): Promise<ReviewAnswer> {
    const { request, mayPatch } = question;
    const { reviewVersion: version, timeoutSeconds } = hook;
    if (version === undefined) {
      const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
      throw new WebhookCallError(`could not create admission objects: ${why}`);
    }
    const uid = uuid(this.#options.random);
    const body = `${encodeJson(reviewOf({ ...question, uid, version }))}\n`;
    const text = await this.#options.client
      .post(hook.target, body, { timeoutSeconds, signal: request.signal })
      .catch((error: unknown) => {
        if (!(error instanceof WebhookCallError)) throw error;
        throw new WebhookCallError(`failed to call webhook: ${error.message}`, { cause: error });
      });
    const answer = readAnswer(text, { uid, version, mayPatch });
    for (const warning of answer.warnings) request.warn(warning);
    return answer;
  }
}

/** The 500 for a webhook that could not be asked. */
export function callFailure(hook: Hook, error: Error): StatusError {
  return new StatusError(internalErrorStatus(`failed calling webhook ${quote(hook.name)}: ${error.message}`), {
    cause: error,
  });
}

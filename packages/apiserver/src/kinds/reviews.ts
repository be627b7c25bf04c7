// Reviews: requests about users and their rights, whose result is returned in the status and not stored.

import { isRecord, type JsonRecord } from "@homeostat/core";
import type { AccessReview } from "../auth/access-reviews.ts";
import { Refusal } from "../auth/refusal.ts";
import type { AuthorizedRequest } from "../handlers/context.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import type { KindEndpoint } from "../endpoints/endpoint-tools.ts";
import { readPosted, plainObjectResponse } from "../endpoints/posted-object.ts";
import { StatusError } from "../status/status.ts";

/** Evaluates a review: returns the object with its status, or the refusal. */
export type Review = (object: JsonRecord, authorized: AuthorizedRequest) => JsonRecord | Refusal;

/** Builds the endpoint of a review kind. */
export function reviewEndpoint(kind: ServedKind, review: Review): KindEndpoint {
  return {
    subresource: "",
    handle: async (authorized) => {
      const sent = await readPosted(authorized, kind);
      const answer = review(sent.object, authorized);
      if (answer instanceof Refusal) throw new StatusError(answer.status);
      await sent.validate();
      return plainObjectResponse(authorized, 201, answer);
    },
  };
}

/** Returns the result of a review with the metadata that the client sent. */
export function withMetadata(answer: JsonRecord | Refusal, { metadata }: JsonRecord): JsonRecord | Refusal {
  if (answer instanceof Refusal) return answer;
  const { kind, apiVersion, ...rest } = answer;
  return { kind, apiVersion, metadata: isRecord(metadata) ? metadata : {}, ...without(rest, "metadata") };
}

function without(record: JsonRecord, field: string): JsonRecord {
  const { [field]: _, ...rest } = record;
  return rest;
}

/** Returns the spec of an object. Decoding has checked the types of its fields, so that each has its declared type or is absent. */
export function specOf<T extends object>({ spec }: JsonRecord): Partial<T> {
  return isRecord(spec) ? partial<T>(spec) : {};
}

function partial<T extends object>(record: JsonRecord): Partial<T> {
  return Object.assign<Partial<T>, JsonRecord>({}, record);
}

/** Returns a decoded object as an access review. */
export function accessReview(object: JsonRecord): AccessReview {
  const { metadata } = object;
  return { spec: specOf<AccessReview["spec"]>(object), ...(isRecord(metadata) ? { metadata } : {}) };
}

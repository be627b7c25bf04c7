// The annotation in which the webhook records the creator of an object.

import { isList, isRecord, ownValue } from "@homeostat/core";
import { annotations } from "./identity.ts";

/** The user who created an object. */
export interface Creator {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Annotation with the creator of an object. Only the webhook sets it; users cannot. */
export const createdByAnnotation: string = annotations.createdBy;

/**
 * Maximum number of recorded groups. A user with more groups may lose permissions that only the omitted groups grant.
 */
const groupsMax = 500;

/** Returns the value of the annotation for a user. */
export function formatCreator({ user, groups }: Creator): string {
  return JSON.stringify({ user, groups: groups.slice(0, groupsMax) });
}

/** Returns the user who created an object; undefined if the webhook did not see its creation. */
export function creatorOf(object: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): Creator | undefined {
  const text = object.metadata.annotations?.[annotations.createdBy];
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const [user, groups] = [ownValue(value, "user"), ownValue(value, "groups")];
  if (typeof user !== "string" || user === "" || !isList(groups)) return undefined;
  return { user, groups: groups.filter((group) => typeof group === "string") };
}

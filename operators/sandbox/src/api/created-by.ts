// The user who created an object, as the webhook records it in an annotation.

import { isList, isRecord, ownValue } from "@homeostat/core";
import { annotations } from "./identity.ts";

/** The user who created an object. */
export interface Creator {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Annotation of objects with the user who created them. Users cannot set it: the webhook does. */
export const createdByAnnotation: string = annotations.createdBy;

/** Groups above this number are not recorded. A user with more may lose rights that only these groups give. */
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

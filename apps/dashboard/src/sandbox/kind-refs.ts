import type { ResourceType } from "@homeostat/core";
import type { ObjectRef } from "../api/types.ts";

/** Returns the reference of an object of a kind. */
export function refOf(
  { group, version, kind, plural }: ResourceType,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): ObjectRef {
  return { group, version, kind, plural, namespace, name: name ?? "" };
}

import type { KubeObject, ObjectKey } from "@homeostat/core";
import { otherManagers } from "@homeostat/runtime";
import { fieldManager } from "../api/identity.ts";
import type { Difference } from "./differences.ts";
import type { ApplyTools, Wish } from "./wish.ts";

/** What somebody has changed in an object of ours. Values are left out: they may be secret. */
export interface Change {
  /** `spec.ports` */
  readonly fields: readonly string[];
  /** Under which names it was written; empty when the server does not tell. */
  readonly managers: readonly string[];
}

/** Finds out who has changed fields. The cache does not keep who set what, so this costs a request. */
export async function changeOf(
  { client, signal }: ApplyTools,
  { type, object }: Wish,
  found: readonly Difference[],
): Promise<Change> {
  const { namespace = "", name } = object.metadata;
  const key: ObjectKey = namespace === "" ? { name } : { namespace, name };
  const fields = [...new Set(found.map(pathOf))];
  let live: KubeObject | undefined;
  try {
    live = await client.get(type, key, { signal });
  } catch {
    // Nothing depends on it but a name in a message; if it is serious, the write fails, too.
    return { fields, managers: [] };
  }
  const managers =
    live === undefined ? [] : otherManagers(live, { fields: found, except: fieldManager, subresource: "" });
  return { fields, managers };
}

/** The field in words, up to the first list. */
function pathOf(steps: Difference): string {
  const end = steps.findIndex((step) => typeof step !== "string");
  return (end < 0 ? steps : steps.slice(0, end)).map(String).join(".");
}

import type { ObjectName } from "@homeostat/client";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { ChangedField } from "./changed-fields.ts";
import { otherManagers } from "./field-managers.ts";
import type { ReconcileScope } from "./reconcile-scope.ts";
import { type MadeChange, targetOf, type WriteSubject } from "./write-recorder.ts";

/**
 * Returns a function that passes the changes of a reconcile to the hot loop detection, and logs and reports the loops it finds. Use it as
 * `onChange` of {@link recordedClient}.
 */
export function watchForLoops(
  scope: Pick<ReconcileScope, "key" | "object" | "type" | "hotLoops" | "log" | "report"> & {
    /** Returns the version of the inputs other than the primary object. */
    readonly inputVersion?: (() => string | undefined) | undefined;
  },
): (change: MadeChange) => void {
  const own = targetOf({ type: scope.type, name: nameOf(scope.object) });
  return ({ verb, resource, key, fields: changed, digest, madeUid }) => {
    const target = `${verb} ${resource} ${key}`;
    // A write to the primary object may change its generation: it would be its own input.
    const isOwn = resource === own.resource && key === own.key;
    const input = isOwn ? undefined : inputOf(scope);
    const loop = scope.hotLoops.note({ key: scope.key, target, fields: changed, digest, madeUid, input });
    if (loop === undefined) return;
    const { fields, others, repeats, holdMs, type } = loop;
    scope.log.warn("Hot loop detected", {
      loop: type,
      verb,
      resource,
      object: key,
      fields,
      others,
      repeats,
      holdMs,
    });
    scope.report({ type: "hot-loop", loop });
  };
}

/** Returns the version of all inputs of a reconcile. */
function inputOf({
  object: { metadata },
  inputVersion,
}: Pick<ReconcileScope, "object"> & { readonly inputVersion?: (() => string | undefined) | undefined }): string {
  return [metadata.uid, metadata.generation ?? "", inputVersion?.() ?? ""].join("/");
}

function nameOf({ metadata: { name = "", namespace = "" } }: DeepReadonly<KubeObject>): ObjectName {
  return namespace === "" ? { name } : { name, namespace };
}

/** A write that is about to be sent. */
export interface SuspectWrite extends WriteSubject {
  /** Returns the fields of the live object that differ from the desired state. */
  readonly drifted: (live: DeepReadonly<KubeObject>) => readonly ChangedField[];
}

/**
 * Finds the field managers that revert the fields that are about to be written, if the same write has happened before.
 *
 * Reads the live object only in that case: it costs a request, because the cache does not keep `managedFields`.
 */
export async function findOtherManagers(scope: ReconcileScope, write: SuspectWrite): Promise<void> {
  const { hotLoops, client, fieldManager, signal, log } = scope;
  const { verb, type, name, subresource = "" } = write;
  const { resource, key } = targetOf(write);
  const target = `${verb} ${resource} ${key}`;
  if (!hotLoops.isSuspect(scope.key, target)) return;
  let live: DeepReadonly<KubeObject> | undefined;
  try {
    live = await client.get(type, name, { signal });
  } catch (error) {
    // Only a name in a message depends on it. If the problem persists, the write fails, too.
    log.debug("Failed to find other field managers", { resource, object: key, error });
    return;
  }
  const fields = live === undefined ? [] : write.drifted(live).map(({ steps }) => steps);
  if (live === undefined || fields.length === 0) return;
  hotLoops.blame(scope.key, target, otherManagers(live, { fields, except: fieldManager, subresource }));
}

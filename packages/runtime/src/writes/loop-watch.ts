import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { ChangedField } from "./changed-fields.ts";
import { otherManagers } from "./field-managers.ts";
import type { RunScope } from "./reconcile-scope.ts";
import { type MadeChange, placeOf, type WriteSubject } from "./write-recorder.ts";

/**
 * Feeds the detector of loops with the changes that a run makes, and says what it finds: in the log, and as a report.
 *
 * For `onChange` of {@link recordedClient}.
 */
export function watchForLoops(
  scope: Pick<RunScope, "key" | "hotLoops" | "log" | "report">,
): (change: MadeChange) => void {
  return ({ verb, resource, key, fields: changed, digest, madeUid }) => {
    const target = `${verb} ${resource} ${key}`;
    const loop = scope.hotLoops.note({ key: scope.key, target, fields: changed, digest, madeUid });
    if (loop === undefined) return;
    const { fields, others, repeats, holdMs, type } = loop;
    scope.log.warn("Writes the same again and again", {
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

/** A write that is about to be made. */
export interface SuspectWrite extends WriteSubject {
  /** Which fields of the object are not as they should be. */
  readonly unmet: (live: DeepReadonly<KubeObject>) => readonly ChangedField[];
}

/**
 * Finds out who else sets the fields that are about to be set once more, if that has happened before.
 *
 * Only then is the object read: it costs a request, and the cache does not keep who set what.
 */
export async function findOthers(scope: RunScope, write: SuspectWrite): Promise<void> {
  const { hotLoops, client, fieldManager, signal, log } = scope;
  const { verb, type, name, subresource = "" } = write;
  const { resource, key } = placeOf(write);
  const target = `${verb} ${resource} ${key}`;
  if (!hotLoops.isSuspect(scope.key, target)) return;
  let live: DeepReadonly<KubeObject> | undefined;
  try {
    live = await client.get(type, name, { signal });
  } catch (error) {
    // Nothing depends on it but a name in a message; if it is serious, the write fails, too.
    log.debug("Could not find out who else writes an object", { resource, object: key, error });
    return;
  }
  const fields = live === undefined ? [] : write.unmet(live).map(({ steps }) => steps);
  if (live === undefined || fields.length === 0) return;
  hotLoops.blame(scope.key, target, otherManagers(live, { fields, except: fieldManager, subresource }));
}

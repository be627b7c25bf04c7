import { type DeepReadonly, isRecord, type JsonRecord, type KubeObject } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";
import { type Fingerprint, fingerprintOf, matches } from "./digest.ts";

/** What an object was made to be, and what it was then. */
interface Applied {
  readonly config: Fingerprint;
  readonly object: Fingerprint;
  /** The version at which it was last found to be so. */
  version: string | undefined;
}

/** Options of {@link ApplyMemory}. */
export interface ApplyMemoryOptions {
  /** How many objects are remembered. Default: 100,000, which take about 45 MB. */
  readonly objectsMax?: number;
}

/**
 * Remembers what was applied to which object, so that nothing is sent when nothing would change.
 *
 * An object is as it was after the last apply when all is the same that an apply can set: everything but its status, its
 * version, its generation, and the record of who set what. Digests are kept, never values. One for each controller, for as
 * long as the process lasts: after a restart the first apply of every object is sent.
 *
 * Who owns a field is not part of it: if somebody else takes over a field and leaves its value, that goes unnoticed until the
 * object or its description changes.
 */
export class ApplyMemory {
  readonly #applied: LruMap<string, Applied>;

  constructor({ objectsMax = 100_000 }: ApplyMemoryOptions = {}) {
    this.#applied = new LruMap(objectsMax);
  }

  /** Whether applying this to the object as it is would change nothing. */
  isSettled(object: DeepReadonly<KubeObject>, config: unknown): boolean {
    const known = this.#of(object);
    if (known === undefined || !matches(known.config, config)) return false;
    const { resourceVersion } = object.metadata;
    // Most of the time nothing has happened at all since.
    if (resourceVersion !== undefined && known.version === resourceVersion) return true;
    if (!matches(known.object, partsToApply(object))) return false;
    known.version = resourceVersion;
    return true;
  }

  /** Whether the same was applied before: then whatever is different now is somebody else's doing. */
  isRepeated(object: DeepReadonly<KubeObject>, config: unknown): boolean {
    const known = this.#of(object);
    return known !== undefined && matches(known.config, config);
  }

  /** Notes what was applied, and what the server made of it. */
  remember(object: DeepReadonly<KubeObject>, config: unknown): void {
    const { uid, resourceVersion: version } = object.metadata;
    if (uid === undefined) return;
    this.#applied.set(uid, { config: fingerprintOf(config), object: fingerprintOf(partsToApply(object)), version });
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#applied.size;
  }

  #of({ metadata: { uid } }: DeepReadonly<KubeObject>): Applied | undefined {
    return uid === undefined ? undefined : this.#applied.get(uid);
  }
}

/** What the result of an apply depends on. */
function partsToApply(object: DeepReadonly<KubeObject>): JsonRecord {
  const { metadata, status: _status, ...rest }: DeepReadonly<KubeObject> & { readonly status?: unknown } = object;
  if (!isRecord(metadata)) return rest;
  const { resourceVersion: _version, managedFields: _managed, generation: _generation, ...names } = metadata;
  return { ...rest, metadata: names };
}

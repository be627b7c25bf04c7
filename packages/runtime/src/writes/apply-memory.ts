import { type DeepReadonly, isRecord, type JsonRecord, type KubeObject } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";
import { type Fingerprint, fingerprintOf, matches } from "./digest.ts";

/** Fingerprints of an applied configuration, and of the object in the response to it. */
interface Applied {
  readonly config: Fingerprint;
  readonly object: Fingerprint;
  /** Resource version at which the object last matched. */
  version: string | undefined;
}

/** Options of {@link ApplyMemory}. */
export interface ApplyMemoryOptions {
  /** Maximum number of objects. Default: 100,000, which take about 45 MB. */
  readonly objectsMax?: number;
}

/**
 * Remembers the last applied configuration of each object, so that an apply that would change nothing is not sent.
 *
 * Comparing the configuration with the cached object is not enough: the server adds defaults, webhooks change fields, and a field that is no longer
 * in the configuration has to be removed. Instead, the memory compares two things with the last apply: the configuration, and the object that
 * resulted from it. If both are unchanged, the same apply would have the same result. Status, resource version, generation and managedFields do
 * not count, because an apply does not depend on them.
 *
 * Only digests are kept, never values. There is one memory per controller, for the life of the process: after a restart, the first apply of every
 * object is sent.
 *
 * Limitation: field ownership is not compared. If another field manager takes over a field without changing its value, it goes unnoticed until the
 * object or its configuration changes.
 */
export class ApplyMemory {
  readonly #applied: LruMap<string, Applied>;

  constructor({ objectsMax = 100_000 }: ApplyMemoryOptions = {}) {
    this.#applied = new LruMap(objectsMax);
  }

  /** Reports whether applying the configuration to the object would change nothing. */
  isSettled(object: DeepReadonly<KubeObject>, config: unknown): boolean {
    const known = this.#of(object);
    if (known === undefined || !matches(known.config, config)) return false;
    const { resourceVersion } = object.metadata;
    // Fast path: mostly, the object has not changed at all, and no digest has to be computed.
    if (resourceVersion !== undefined && known.version === resourceVersion) return true;
    if (!matches(known.object, partsToApply(object))) return false;
    known.version = resourceVersion;
    return true;
  }

  /** Reports whether the same configuration was applied before. Then another client has caused the current difference. */
  isRepeated(object: DeepReadonly<KubeObject>, config: unknown): boolean {
    const known = this.#of(object);
    return known !== undefined && matches(known.config, config);
  }

  /** Remembers an applied configuration and the resulting object. */
  remember(object: DeepReadonly<KubeObject>, config: unknown): void {
    const { uid, resourceVersion: version } = object.metadata;
    if (uid === undefined) return;
    this.#applied.set(uid, { config: fingerprintOf(config), object: fingerprintOf(partsToApply(object)), version });
  }

  /** Number of remembered objects. */
  get size(): number {
    return this.#applied.size;
  }

  #of({ metadata: { uid } }: DeepReadonly<KubeObject>): Applied | undefined {
    return uid === undefined ? undefined : this.#applied.get(uid);
  }
}

/** Returns the part of an object that the result of an apply depends on. */
function partsToApply(object: DeepReadonly<KubeObject>): JsonRecord {
  const { metadata, status: _status, ...rest }: DeepReadonly<KubeObject> & { readonly status?: unknown } = object;
  if (!isRecord(metadata)) return rest;
  const { resourceVersion: _version, managedFields: _managed, generation: _generation, ...names } = metadata;
  return { ...rest, metadata: names };
}

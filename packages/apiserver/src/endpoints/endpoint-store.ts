import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader, StoredName } from "../admission/cluster-reader.ts";
import type { DeletionRequest } from "../registry/deletion.ts";

/**
 * Access to stored objects for special endpoints. Writes bypass the preparation and validation of the kind: the endpoint does both.
 *
 * A write takes effect synchronously, so that an endpoint can read, check and write without another write in between; the promise
 * resolves when the write is saved.
 */
export interface SpecialStore extends ClusterReader {
  /** Replaces a stored object. Sets the `resourceVersion`; nothing else is changed or validated. */
  replace(name: StoredName, object: JsonRecord): Promise<JsonRecord>;
  /** Deletes an object as a DELETE request does. Throws a `StatusError` when that is rejected. */
  remove(name: StoredName, deletion: DeletionRequest, options: { readonly isDryRun: boolean }): Promise<void>;
}

/** A POST to a special endpoint, after mutating admission. */
export interface SpecialRequest {
  readonly namespace: string;
  readonly name: string;
  /** The request body after mutating admission. */
  readonly object: JsonRecord;
  readonly isDryRun: boolean;
  readonly nowMs: number;
  /** Runs validating admission. The endpoint calls it after its own checks, before it writes. */
  readonly validate: () => Promise<void>;
}

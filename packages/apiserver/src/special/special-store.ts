import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader, StoredName } from "../admission/cluster-reader.ts";
import type { DeletionWish } from "../registry/deletion.ts";

/**
 * Stored objects as the special endpoints need them: they write past the rules of the kind, for they are its rules.
 *
 * Writes happen in the turn they are called in; the promise settles when they are safe.
 */
export interface SpecialStore extends ClusterReader {
  /** Stores an object in place of the one that is there. The version is set; nothing else is changed or checked. */
  replace(name: StoredName, object: JsonRecord): Promise<JsonRecord>;
  /** Deletes as a DELETE with options does. Throws a `StatusError` when that is refused. */
  remove(name: StoredName, wish: DeletionWish, options: { readonly isDryRun: boolean }): Promise<void>;
}

/** What is known of a request to a special endpoint. */
export interface SpecialRequest {
  readonly namespace: string;
  readonly name: string;
  /** What was sent, after the changing steps of admission. */
  readonly object: JsonRecord;
  readonly isDryRun: boolean;
  readonly nowMs: number;
  /** Lets admission look at what was sent. Called when it was found to make sense. */
  readonly validate: () => Promise<void>;
}

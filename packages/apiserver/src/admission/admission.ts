import type { JsonRecord } from "@homeostat/core";
import type { User } from "../auth/user.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** What is about to happen to an object. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A write on its way, after its writer was found to have the right and before it is stored. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly kind: ServedKind;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for kinds without one. */
  readonly namespace: string;
  /** Empty when the server makes it up. */
  readonly name: string;
  /** What is to be stored, or what was sent to a subresource such as `eviction`; undefined for a deletion. */
  readonly object: JsonRecord | undefined;
  /** What is stored now; undefined for a creation. */
  readonly oldObject: JsonRecord | undefined;
  /** `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions` as sent, with kind and version. */
  readonly options: JsonRecord;
  readonly user: User;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Tells the writer something without refusing. */
  readonly warn: (text: string) => void;
}

/** One step of admission. Refuses by throwing a `StatusError`. */
export interface AdmissionStep {
  /** The name of the real server's plugin that it stands for: `NamespaceLifecycle`. */
  readonly name: string;
  /** May change the object: answers the one to go on with, or undefined to leave it. */
  readonly mutate?: (request: AdmissionRequest) => Promise<JsonRecord | undefined>;
  /** Looks at the final object. */
  readonly validate?: (request: AdmissionRequest) => Promise<void>;
}

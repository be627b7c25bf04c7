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

/** What most steps know at once and some have to wait for. */
export type MaybeLater<T> = T | Promise<T>;

/**
 * One pass through the changing steps.
 *
 * When a webhook changed the object, the real server goes through all of them once more: what they add may be missing now.
 */
export interface MutationRound {
  readonly isSecond: boolean;
  /** What a step wants to know in the second round of the first. */
  readonly memory: Map<string, unknown>;
  /** Asks for a second round. */
  repeat(): void;
}

/** One step of admission. Refuses by throwing a `StatusError`. */
export interface AdmissionStep {
  /** The name of the real server's plugin that it stands for: `NamespaceLifecycle`. */
  readonly name: string;
  /** May change the object: answers another one to go on with, or undefined to leave it. The object given stays as it is. */
  readonly mutate?: (request: AdmissionRequest, round: MutationRound) => MaybeLater<JsonRecord | undefined>;
  /** Sets, once, what only the server sets, after all steps have changed what they want to. */
  readonly finish?: (request: AdmissionRequest) => JsonRecord | undefined;
  /** Looks at the final object. */
  readonly validate?: (request: AdmissionRequest) => MaybeLater<void>;
  /**
   * Looks at the final object in the turn in which it is stored, when nothing can come between the look and the write.
   *
   * What is counted is counted here: two requests at once would both find the last place free otherwise.
   */
  readonly atWrite?: (request: AdmissionRequest) => void;
}

import type { JsonRecord } from "@homeostat/core";
import type { User } from "../auth/user.ts";
import type { ServedKind } from "../resources/served-kind.ts";

/** The operation an admission request is for. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A request in admission: after authorization and before the object is stored. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly kind: ServedKind;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty if the server generates the name. */
  readonly name: string;
  /** The object to store, or the body sent to a subresource such as `eviction`; undefined for a deletion. */
  readonly object: JsonRecord | undefined;
  /** The stored object; undefined for a create. */
  readonly oldObject: JsonRecord | undefined;
  /** `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions` as sent, with kind and version. */
  readonly options: JsonRecord;
  readonly user: User;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Adds a warning to the response without refusing the request. */
  readonly warn: (text: string) => void;
}

/**
 * A result that most steps have immediately and some, such as webhooks, must wait for. Steps that do not wait add no
 * turn of the event loop.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * State of one pass through the mutating steps.
 *
 * If a webhook or policy changed the object, all mutating steps run a second time, as on the real server
 * (`reinvocation.Context`): a step may have to set its defaults in what was added, for example in a sidecar container.
 */
export interface MutationRound {
  /** True in the second pass. */
  readonly isReinvocation: boolean;
  /** Results of the first pass that steps need in the second, by step, for example which webhooks to call again. */
  readonly memory: Map<string, unknown>;
  /** Requests a second pass through all mutating steps. */
  requestReinvocation(): void;
}

/** A step of admission, corresponding to an admission plugin. It refuses a request by throwing a `StatusError`. */
export interface AdmissionStep {
  /** Name of the corresponding plugin of kube-apiserver: `NamespaceLifecycle`. */
  readonly name: string;
  /** Returns the changed object, or undefined to leave it as it is. Must not modify the given object. */
  readonly mutate?: (request: AdmissionRequest, round: MutationRound) => MaybePromise<JsonRecord | undefined>;
  /** Sets fields that only the server may set. Runs once, after all mutating steps. */
  readonly finish?: (request: AdmissionRequest) => JsonRecord | undefined;
  /** Checks the final object. */
  readonly validate?: (request: AdmissionRequest) => MaybePromise<void>;
  /**
   * Checks the final object in the same turn of the event loop in which it is stored, so nothing can change between the
   * check and the write.
   *
   * Everything with a limit, such as quotas, is counted here. Counted earlier, two concurrent requests would both find
   * the last unit free.
   */
  readonly atWrite?: (request: AdmissionRequest) => void;
}

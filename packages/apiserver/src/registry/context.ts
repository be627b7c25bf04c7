import type { Clock, JsonRecord, Random } from "@homeostat/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { Entry } from "../storage/entry.ts";
import type { Store } from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { ApiObject } from "./api-object.ts";

/** A write that the escalation check of its kind must allow, such as that of a Role. */
export interface GuardedWrite {
  readonly call: Call;
  readonly object: ApiObject;
  /** The stored object; undefined for a create. */
  readonly old: ApiObject | undefined;
}

/** Admission steps of a write, in order; implemented by `AdmissionChain`. */
export interface Admission {
  mutate(request: AdmissionRequest): Promise<JsonRecord | undefined>;
  finish(request: AdmissionRequest): JsonRecord | undefined;
  validate(request: AdmissionRequest): Promise<void>;
  atWrite(request: AdmissionRequest): void;
}

/** Dependencies of the registry operations. */
export interface RegistryContext {
  readonly store: Store<JsonRecord>;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
  /** Throws a `StatusError` (403) for a write that grants rights its user lacks. Called after mutating admission. */
  readonly checkEscalation: (write: GuardedWrite) => void;
  /** Throws a `StatusError` (403) when an update or apply would create an object and its user lacks the verb `create`. */
  readonly checkMayCreate: (call: Call) => void;
}

/** Result of a create, update, patch or apply. */
export interface Written {
  /** The stored object; for a dry run, the object that would be stored. */
  readonly stored: JsonRecord;
  /** The store entry; undefined for a dry run and after a removal. */
  readonly entry: Entry<JsonRecord> | undefined;
  /** `same`: nothing was written. `removed`: the update removed the last finalizer of an object that was being deleted. */
  readonly outcome: "created" | "changed" | "same" | "removed";
}

/** Options of a write. */
export interface RegistryWriteOptions {
  readonly isDryRun: boolean;
  /** Field manager. Empty: derived from the user agent. */
  readonly fieldManager: string;
  /** The options object for admission, with `kind` and `apiVersion`. */
  readonly options: JsonRecord;
}

import type { Clock, JsonRecord, Random } from "@homeostat/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { Entry } from "../storage/entry.ts";
import type { Store } from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { ApiObject } from "./object.ts";

/** A write of an object whose kind has rules of its own about who may write what, such as roles. */
export interface GuardedWrite {
  readonly call: Call;
  readonly object: ApiObject;
  /** What is stored now; undefined for a creation. */
  readonly old: ApiObject | undefined;
}

/** The steps that a write goes through on its way; see `AdmissionChain`. */
export interface Admission {
  mutate(request: AdmissionRequest): Promise<JsonRecord | undefined>;
  finish(request: AdmissionRequest): JsonRecord | undefined;
  validate(request: AdmissionRequest): Promise<void>;
  atWrite(request: AdmissionRequest): void;
}

/** What the operations of the registry work with. */
export interface RegistryHome {
  readonly store: Store<JsonRecord>;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
  /** Refuses, with a `StatusError`, writes that would give away rights; called after admission changed the object. */
  readonly guard: (write: GuardedWrite) => void;
  /** Refuses, with a `StatusError`, a write that would create what its writer may not create. */
  readonly mayCreate: (call: Call) => void;
}

/** What became of a write. */
export interface Written {
  /** The object as it is stored, or would be. */
  readonly stored: JsonRecord;
  /** The entry of the store; undefined for a dry run and for what is gone. */
  readonly entry: Entry<JsonRecord> | undefined;
  readonly outcome: "created" | "changed" | "same" | "removed";
}

/** What a write was asked with. */
export interface WriteChoice {
  readonly isDryRun: boolean;
  /** The manager of the fields that are written; empty: as the user agent says. */
  readonly fieldManager: string;
  /** The options as admission sees them: with kind and version. */
  readonly options: JsonRecord;
}

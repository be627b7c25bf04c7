import { isList, isRecord, ownValue } from "@homeostat/core";
import type { DriftEntry } from "../api/types.ts";
import { listIn, numberIn, textIn } from "../health/fields.ts";

/** A write of a reconcile. */
export interface ShownWrite {
  readonly verb: string;
  readonly resource: string;
  readonly key: string;
  readonly result: string;
  readonly fields: readonly string[];
  readonly ms: number;
  readonly error: string;
}

/** Reads of one kind by a reconcile. */
export interface ShownRead {
  readonly verb: string;
  readonly resource: string;
  readonly source: string;
  /** The first keys and selections. */
  readonly of: readonly string[];
  readonly reads: number;
  readonly objects: number;
  readonly ms: number;
  readonly failures: number;
}

/** A step of a reconcile. */
export interface ShownStep {
  readonly name: string;
  readonly ms: number;
}

/** A decision of a reconcile. */
export interface ShownDecision {
  readonly about: string;
  readonly result: string;
}

/** A corrected drift. */
export type ShownDrift = Omit<DriftEntry, "controller">;

/** A reconcile of an object. Times are RFC 3339; empty if there is none. */
export interface ShownReconcile {
  readonly id: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly waitedMs: number;
  readonly why: readonly string[];
  readonly attempt: number;
  readonly result: string;
  readonly error: string;
  readonly reads: readonly ShownRead[];
  readonly readsOmitted: number;
  readonly steps: readonly ShownStep[];
  readonly decisions: readonly ShownDecision[];
  readonly writes: readonly ShownWrite[];
  readonly writesOmitted: number;
  readonly events: readonly string[];
  readonly nextReconcileAt: string;
}

/** State and history of an object in a controller. */
export interface ShownExplanation {
  /** `idle`, `waiting`, `delayed` or `running`; empty if the controller does not lead. */
  readonly state: string;
  readonly at: string;
  readonly attempt: number;
  readonly reasons: readonly string[];
  /** Cause of a delay: `terminal` or `hot-loop`; empty if there is none. */
  readonly held: string;
  readonly heldUntil: string;
  readonly reconciles: readonly ShownReconcile[];
  /** Corrected drift, the newest first. */
  readonly drifts: readonly ShownDrift[];
}

/** Reads the response of `/why/CONTROLLER/NAMESPACE/NAME`. Missing fields are empty. */
export function readExplanation(value: unknown): ShownExplanation {
  const now = fieldOf(value, "now");
  const held = fieldOf(now, "held");
  return {
    state: textIn(now, "state"),
    at: textIn(now, "at"),
    attempt: numberIn(now, "attempt") ?? 0,
    reasons: textsIn(now, "reasons"),
    held: textIn(held, "why"),
    heldUntil: textIn(held, "until"),
    reconciles: listIn(value, "reconciles").map(readReconcile),
    drifts: listIn(value, "drifts").map((drift) => ({
      at: textIn(drift, "at"),
      object: textIn(drift, "object"),
      fields: textsIn(drift, "fields"),
      managers: textsIn(drift, "managers"),
      wasDeleted: fieldOf(drift, "wasDeleted") === true,
      reconcileId: textIn(drift, "reconcileId"),
    })),
  };
}

function readReconcile(value: unknown): ShownReconcile {
  return {
    id: textIn(value, "id"),
    startedAt: textIn(value, "startedAt"),
    durationMs: numberIn(value, "durationMs") ?? 0,
    waitedMs: numberIn(value, "waitedMs") ?? 0,
    why: textsIn(value, "why"),
    attempt: numberIn(value, "attempt") ?? 1,
    result: textIn(value, "result"),
    error: errorIn(value),
    reads: listIn(value, "reads").map((read) => ({
      verb: textIn(read, "verb"),
      resource: textIn(read, "resource"),
      source: textIn(read, "source"),
      of: textsIn(read, "of"),
      reads: numberIn(read, "reads") ?? 0,
      objects: numberIn(read, "objects") ?? 0,
      ms: numberIn(read, "ms") ?? 0,
      failures: numberIn(read, "failures") ?? 0,
    })),
    readsOmitted: numberIn(value, "readsOmitted") ?? 0,
    steps: listIn(value, "steps").map((step) => ({ name: textIn(step, "name"), ms: numberIn(step, "ms") ?? 0 })),
    decisions: listIn(value, "decisions").map((decision) => ({
      about: textIn(decision, "about"),
      result: textIn(decision, "result"),
    })),
    writes: listIn(value, "writes").map((write) => ({
      verb: textIn(write, "verb"),
      resource: textIn(write, "resource"),
      key: textIn(write, "key"),
      result: textIn(write, "result"),
      fields: textsIn(write, "fields"),
      ms: numberIn(write, "ms") ?? 0,
      error: errorIn(write),
    })),
    writesOmitted: numberIn(value, "writesOmitted") ?? 0,
    events: listIn(value, "events").map((event) => `${textIn(event, "type")} ${textIn(event, "reason")}`),
    nextReconcileAt: textIn(value, "nextReconcileAt"),
  };
}

/** A key in the queue of a controller. */
export interface ShownKey {
  readonly key: string;
  readonly state: "waiting" | "delayed" | "running";
  readonly at: string;
  readonly attempt: number;
  readonly reasons: readonly string[];
}

/** A controller of an operator process. */
export interface ShownController {
  readonly name: string;
  readonly resource: string;
  readonly state: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  /** The first keys of each list. */
  readonly keys: readonly ShownKey[];
}

/** Reads a controller of the response of `/why`. */
export function readController(value: unknown): ShownController {
  const queue = fieldOf(value, "queue");
  const counts = fieldOf(queue, "counts");
  const keysOf = (state: ShownKey["state"], time: string): ShownKey[] =>
    listIn(queue, state).map((entry) => ({
      key: textIn(entry, "key"),
      state,
      at: textIn(entry, time),
      attempt: numberIn(entry, "attempt") ?? 1,
      reasons: textsIn(entry, "reasons"),
    }));
  return {
    name: textIn(value, "name"),
    resource: textIn(value, "resource"),
    state: textIn(value, "state"),
    waiting: numberIn(counts, "waiting") ?? 0,
    delayed: numberIn(counts, "delayed") ?? 0,
    running: numberIn(counts, "running") ?? 0,
    keys: [...keysOf("running", "startedAt"), ...keysOf("waiting", "readyAt"), ...keysOf("delayed", "dueAt")],
  };
}

/** An informer of an operator process. */
export interface ShownInformer {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly state: string;
  readonly lastByteAt: string;
  readonly failures: number;
  readonly error: string;
}

/** Reads an informer of the response of `/why`. */
export function readInformer(value: unknown): ShownInformer {
  return {
    name: textIn(value, "name"),
    objects: numberIn(value, "objects") ?? 0,
    bytes: numberIn(value, "bytes") ?? 0,
    state: textIn(value, "state"),
    lastByteAt: textIn(value, "lastByteAt"),
    failures: numberIn(value, "failures") ?? 0,
    error: errorIn(value),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? ownValue(value, name) : undefined;
}

function errorIn(value: unknown): string {
  const error = fieldOf(value, "error");
  return isRecord(error) ? `${textIn(error, "code")}: ${textIn(error, "message")}` : "";
}

function textsIn(value: unknown, name: string): string[] {
  const list = fieldOf(value, name);
  return isList(list) ? list.filter((item) => typeof item === "string") : [];
}

import {
  type ReconcileRecord,
  type RecordedDrift,
  type RecordedEvent,
  type RecordedStep,
  type RecordedWrite,
  recordedError,
} from "../history/reconcile-record.ts";
import type { ReconcileReads } from "../history/reconcile-reads.ts";
import type { ReadNote, ReconcileJournal, WriteNote } from "../writes/journal.ts";

/** Maximum number of writes, of events, and of corrected drifts that are kept of one reconcile. */
const notesMax = 64;

/** Maximum number of steps, and of decisions, that are kept of one reconcile. */
const stepsMax = 32;

/** Maximum length of the subject and of the result of a decision. */
const decisionLengthMax = 256;

/** Maximum number of fields that are kept of one corrected drift. */
const driftFieldsMax = 32;

const noWrites: readonly RecordedWrite[] = [];
const noEvents: readonly RecordedEvent[] = [];

/** Collects the reads, decisions, writes and events of one reconcile for the history. */
export class ReconcileNotes implements ReconcileJournal {
  #writes: RecordedWrite[] | undefined;
  #events: RecordedEvent[] | undefined;
  #drifts: RecordedDrift[] | undefined;
  #steps: RecordedStep[] | undefined;
  #decisions: Map<string, string> | undefined;
  #omitted = 0;
  /** Record of the reads; undefined if reads, steps and decisions are not recorded. */
  readonly reads: ReconcileReads | undefined;

  constructor(reads?: ReconcileReads) {
    this.reads = reads;
  }

  read(note: ReadNote): void {
    this.reads?.count(note, () => note.of);
  }

  /** Adds a decision. A later decision about the same subject replaces it. */
  decided(about: string, result: string): void {
    if (this.reads === undefined) return;
    this.#decisions ??= new Map();
    const subject = about.slice(0, decisionLengthMax);
    if (this.#decisions.size < stepsMax || this.#decisions.has(subject))
      this.#decisions.set(subject, result.slice(0, decisionLengthMax));
  }

  /** Removes a decision that a later one has undone. */
  undecided(about: string): void {
    this.#decisions?.delete(about);
  }

  /** Adds a step that has ended. */
  stepped(name: string, ms: number): void {
    if (this.reads === undefined) return;
    this.#steps ??= [];
    if (this.#steps.length < stepsMax) this.#steps.push({ name, ms });
  }

  wrote({ verb, resource, key, result, fields, ms, error }: WriteNote): void {
    this.#writes ??= [];
    if (this.#writes.length >= notesMax) {
      this.#omitted += 1;
      return;
    }
    // Two literals instead of a conditional spread: measured five times faster, and this runs for every write.
    const note: RecordedWrite =
      fields === undefined ? { verb, resource, key, result, ms } : { verb, resource, key, result, fields, ms };
    this.#writes.push(error === undefined ? note : { ...note, error: recordedError(error) });
  }

  recorded({ type, reason }: RecordedEvent): void {
    this.#events ??= [];
    if (this.#events.length < notesMax) this.#events.push({ type, reason });
  }

  /** Adds a corrected drift. */
  corrected({ object, fields, managers, wasDeleted }: RecordedDrift): void {
    this.#drifts ??= [];
    if (this.#drifts.length >= notesMax) return;
    this.#drifts.push({ object, fields: fields.slice(0, driftFieldsMax), managers, wasDeleted });
  }

  /** Number of writes that changed an object. */
  get written(): number {
    return this.#writes?.filter(({ result }) => result === "written").length ?? 0;
  }

  toRecord(): Pick<
    ReconcileRecord,
    "writes" | "writesOmitted" | "events" | "reads" | "readsOmitted" | "steps" | "decisions" | "drifts"
  > {
    const drifts = this.#drifts;
    const steps = this.#steps;
    const { reads, readsOmitted = 0 } = this.reads?.toRecord() ?? {};
    const decisions = [...(this.#decisions ?? [])].map(([about, result]) => ({ about, result }));
    return {
      writes: this.#writes ?? noWrites,
      writesOmitted: this.#omitted,
      events: this.#events ?? noEvents,
      ...(reads !== undefined && { reads }),
      ...(readsOmitted > 0 && { readsOmitted }),
      ...(steps !== undefined && { steps }),
      ...(decisions.length > 0 && { decisions }),
      ...(drifts !== undefined && { drifts }),
    };
  }
}

import { ArgumentError } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";
import type { Flight, FlightWrite } from "./flight.ts";

/** Options of a {@link FlightRecorder}. */
export interface FlightRecorderOptions {
  /** How many runs of one object are kept. Default: 16. */
  readonly runsMax?: number;
  /** How many objects, of all controllers together, are remembered. Default: 1,000. */
  readonly keysMax?: number;
}

/** Where an object stands in its controller's queue. Times are milliseconds since 1970. */
export interface KeyState {
  readonly state: "idle" | "waiting" | "delayed" | "running";
  /** Since when it is ready or being worked on, or when its delay ends. */
  readonly at?: number | undefined;
  /** How many times it has been tried in a row, this or the coming time included. */
  readonly attempt?: number | undefined;
  /** What leads to the present or the next run. */
  readonly reasons: readonly string[];
  /** What keeps it from being run: an error that only a change can help, or a loop that is being slowed down. */
  readonly held?: { readonly why: "terminal" | "hot-loop"; readonly until?: number | undefined } | undefined;
}

/** Everything there is to say about one object of one controller, ready for JSON. */
export interface Explanation {
  readonly controller: string;
  readonly key: string;
  /** Undefined when the controller does not lead now. */
  readonly now: KeyState | undefined;
  /** The newest first. */
  readonly runs: readonly Flight[];
}

/** The runs of one object, in a ring. */
interface Track {
  readonly controller: string;
  readonly key: string;
  readonly runs: Flight[];
  /** Where the next one goes once the ring is full. */
  next: number;
}

/** So many different lists of fields are kept once for all runs. */
const fieldListsMax = 500;

/** What part of the room may be taken by objects whose last run failed. */
const failingShareMax = 0.75;

/**
 * Remembers the last runs of every object: what led to each, what it wrote, how it ended and what comes next.
 *
 * It answers "why does this object not move?" long after the log has scrolled away. Its memory is bounded: of objects that
 * were not worked on for longest the runs go first, and those of objects that fail go after those of objects that are well.
 *
 * @example
 * recorder.explain("tenants", "default/blue").runs[0]?.error;
 */
export class FlightRecorder {
  readonly #runsMax: number;
  readonly #keysMax: number;
  /** By controller and key, the one used longest ago first. */
  readonly #calm = new Map<string, Track>();
  readonly #failing = new Map<string, Track>();
  readonly #states = new Map<string, (key: string) => KeyState>();
  /** Objects of a kind are written to alike: the fields that were, by themselves. */
  readonly #fieldLists = new LruMap<string, readonly string[]>(fieldListsMax);

  constructor({ runsMax = 16, keysMax = 1000 }: FlightRecorderOptions = {}) {
    for (const [argument, value] of Object.entries({ runsMax, keysMax })) {
      if (!Number.isInteger(value) || value < 1) {
        throw new ArgumentError({ argument, problem: `is ${value}; it must be a whole number from 1.` });
      }
    }
    this.#runsMax = runsMax;
    this.#keysMax = keysMax;
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#calm.size + this.#failing.size;
  }

  /** Takes down a run. One that was taken down before, while it would not end, is known better now. */
  record(controller: string, key: string, run: Flight): void {
    const id = idOf(controller, key);
    const hasFields = run.writes.some(({ fields }) => fields !== undefined);
    const flight = hasFields ? { ...run, writes: run.writes.map((write) => this.#thrifty(write)) } : run;
    const track = this.#take(id) ?? { controller, key, runs: [], next: 0 };
    const newest = track.runs.length === 0 ? -1 : (track.next + track.runs.length - 1) % track.runs.length;
    if (track.runs[newest]?.id === flight.id) track.runs[newest] = flight;
    else if (track.runs.length < this.#runsMax) track.runs.push(flight);
    else {
      track.runs[track.next] = flight;
      track.next = (track.next + 1) % this.#runsMax;
    }
    (isTrouble(flight) ? this.#failing : this.#calm).set(id, track);
    this.#makeRoom();
  }

  /** Lets a controller tell where its objects stand, until what is returned is disposed of. */
  follow(controller: string, stateOf: (key: string) => KeyState): Disposable {
    this.#states.set(controller, stateOf);
    return {
      [Symbol.dispose]: () => {
        if (this.#states.get(controller) === stateOf) this.#states.delete(controller);
      },
    };
  }

  /** What is known of an object. Of one that nothing is known of, there are no runs. */
  explain(controller: string, key: string): Explanation {
    const id = idOf(controller, key);
    const track = this.#failing.get(id) ?? this.#calm.get(id);
    const now = this.#states.get(controller)?.(key);
    if (track === undefined) return { controller, key, now, runs: [] };
    const runs = [...track.runs.slice(track.next), ...track.runs.slice(0, track.next)].reverse();
    return { controller, key, now, runs };
  }

  /** The objects that are remembered, by controller: those whose last run failed first, then the one used last. */
  *keys(controller?: string): Generator<{ readonly controller: string; readonly key: string; readonly last: Flight }> {
    for (const tracks of [this.#failing, this.#calm]) {
      for (const track of [...tracks.values()].reverse()) {
        const last = track.runs.at(track.next - 1);
        if (last === undefined || (controller !== undefined && controller !== track.controller)) continue;
        yield { controller: track.controller, key: track.key, last };
      }
    }
  }

  /** The same write, with a list of fields that others share. */
  #thrifty(write: FlightWrite): FlightWrite {
    const { fields } = write;
    if (fields === undefined) return write;
    const name = fields.join("\n");
    const known = this.#fieldLists.get(name);
    if (known !== undefined) return { ...write, fields: known };
    this.#fieldLists.set(name, fields);
    return write;
  }

  #take(id: string): Track | undefined {
    const calm = this.#calm.get(id);
    if (calm !== undefined) {
      this.#calm.delete(id);
      return calm;
    }
    const failing = this.#failing.get(id);
    if (failing !== undefined) this.#failing.delete(id);
    return failing;
  }

  #makeRoom(): void {
    if (this.size <= this.#keysMax) return;
    const hasTooManyFailing = this.#calm.size === 0 || this.#failing.size > this.#keysMax * failingShareMax;
    const tracks = hasTooManyFailing ? this.#failing : this.#calm;
    for (const id of tracks.keys()) {
      tracks.delete(id);
      return;
    }
  }
}

/** Names of controllers have no spaces that matter: keys have none at all. */
function idOf(controller: string, key: string): string {
  return `${controller} ${key}`;
}

function isTrouble({ result }: Flight): boolean {
  return result === "failed" || result === "terminal" || result === "stuck";
}

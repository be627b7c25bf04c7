import { type SeriesPoint, RunSeries } from "./run-series.ts";

/** A run of a test. */
export interface RunId {
  /** `namespace/name` of the test. */
  readonly key: string;
  /** The uid of the test. */
  readonly uid: string;
  readonly run: number;
}

interface StoredRun extends RunId {
  readonly series: RunSeries;
}

/** Largest number of runs. With {@link RunSeries}, they take at most 20 MB. */
const runsMax = 100;

/** The series of the last runs that this process has polled, also of runs that have ended. The run that got no point for the longest time is dropped first. */
export class SeriesStore {
  readonly #runsMax: number;
  readonly #runs = new Map<string, StoredRun>();

  constructor(max: number = runsMax) {
    this.#runsMax = max;
  }

  /** Adds a point to the series of a run. */
  add({ key, uid, run }: RunId, point: SeriesPoint): void {
    const id = `${uid} ${run}`;
    const stored = this.#runs.get(id) ?? { key, uid, run, series: new RunSeries() };
    stored.series.add(point);
    // A map keeps the order of insertion, so the first entry is the one that was used least recently.
    this.#runs.delete(id);
    this.#runs.set(id, stored);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > this.#runsMax && oldest !== undefined) this.#runs.delete(oldest);
  }

  /** Returns the points of a run; undefined if this process has none. */
  points(uid: string, run: number): readonly SeriesPoint[] | undefined {
    return this.#runs.get(`${uid} ${run}`)?.series.points;
  }

  /** Returns the runs of a test. */
  runsOf(key: string): readonly RunId[] {
    return [...this.#runs.values()].filter((run) => run.key === key);
  }

  /** Drops all runs of a test. */
  drop(key: string): void {
    for (const { uid, run } of this.runsOf(key)) this.#runs.delete(`${uid} ${run}`);
  }
}

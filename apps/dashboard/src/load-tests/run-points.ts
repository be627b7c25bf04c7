import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { LoadPoint, LoadTestView, RunRef } from "../api/load-tests.ts";
import { latestRun, readTest, statusPoint } from "./read-test.ts";

/** Points that a page gets at once or as a continuation. */
export interface PointsChange {
  readonly points: readonly LoadPoint[];
  readonly isAppended: boolean;
}

/** Largest number of points of a run. Beyond it, the operator is asked for the whole run again, which it has thinned out. */
const pointsMax = 10_000;
/** Number of responses without new points after which a run that has ended is no longer read. */
const quietMax = 3;

/**
 * The points of one shown run, from the best source that has any: the operator process, then the stored results, then the values of the status since
 * the page was opened.
 */
export class RunPoints {
  readonly ref: RunRef;
  /** Name of the operator process that has the run; undefined until one has responded with points. */
  endpoint: string | undefined;
  /** True once the stored results were looked for. */
  hasReadResults = false;
  #uid = "";
  #run = 0;
  #isFinished = false;
  #quietResponses = 0;
  #points: LoadPoint[] = [];
  #source: LoadTestView["source"] = "none";
  #change: PointsChange | undefined;

  constructor(ref: RunRef) {
    this.ref = ref;
  }

  get uid(): string {
    return this.#uid;
  }

  get run(): number {
    return this.#run;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get source(): LoadTestView["source"] {
    return this.#source;
  }

  /** Time of the last point from the operator process; undefined to request all points. */
  get after(): number | undefined {
    return this.#source === "operator" ? (this.#points.at(-1)?.[0] ?? undefined) : undefined;
  }

  /** True if points may be missing, so that sources have to be read. */
  get isOpen(): boolean {
    return this.#uid !== "" && !(this.#isFinished && (this.#quietResponses >= quietMax || this.hasReadResults));
  }

  /** Notes the object after a change. Another object or another run starts without points. */
  observe(test: DeepReadonly<KubeObject> | undefined): void {
    const run = test === undefined ? 0 : (this.ref.run ?? latestRun(test));
    const uid = test?.metadata.uid ?? "";
    if (uid !== this.#uid || run !== this.#run) this.#reset(uid, run);
    if (test === undefined) return;
    const phase = readTest(test, run)?.phase;
    this.#isFinished = phase === "Succeeded" || phase === "Failed" || run !== latestRun(test);
    const point = run === latestRun(test) ? statusPoint(test) : undefined;
    const [lastAt = 0] = this.#points.at(-1) ?? [];
    if (point === undefined || this.#isFinished || this.#source === "operator" || this.#source === "results") return;
    if ((point[0] ?? 0) > (lastAt ?? 0)) this.#append([point], "status");
  }

  /** Takes the points of an operator process: all of them, or those after {@link after}. */
  takeFromOperator(endpoint: string, points: readonly LoadPoint[]): void {
    if (this.#source !== "operator" || this.endpoint !== endpoint) {
      if (points.length === 0) return;
      this.endpoint = endpoint;
      this.#replace(points, "operator");
      return;
    }
    this.#quietResponses = points.length === 0 ? this.#quietResponses + 1 : 0;
    this.#append(points, "operator");
    if (this.#points.length > pointsMax) this.#reset(this.#uid, this.#run);
  }

  /** Takes the points of stored results. */
  takeFromResults(points: readonly LoadPoint[]): void {
    if (points.length > 0) this.#replace(points, "results");
  }

  /** Forgets the operator process, for example because it no longer responds. Its points stay until another source has some. */
  loseEndpoint(): void {
    this.endpoint = undefined;
  }

  /** Returns all points, for a page that has none. */
  get points(): readonly LoadPoint[] {
    return this.#points;
  }

  /** Returns the points that were added since the last call; undefined if there are none. */
  takeChange(): PointsChange | undefined {
    const change = this.#change;
    this.#change = undefined;
    return change;
  }

  #append(points: readonly LoadPoint[], source: LoadTestView["source"]): void {
    if (points.length === 0) return;
    this.#source = source;
    this.#points.push(...points);
    const before = this.#change;
    this.#change = { points: [...(before?.points ?? []), ...points], isAppended: before?.isAppended ?? true };
  }

  #replace(points: readonly LoadPoint[], source: LoadTestView["source"]): void {
    this.#source = source;
    this.#quietResponses = 0;
    this.#points = [...points];
    this.#change = { points: this.#points.slice(), isAppended: false };
  }

  #reset(uid: string, run: number): void {
    const hadPoints = this.#points.length > 0;
    this.#uid = uid;
    this.#run = run;
    this.#isFinished = false;
    this.#quietResponses = 0;
    this.hasReadResults = false;
    this.endpoint = undefined;
    this.#source = "none";
    this.#points = [];
    if (hadPoints) this.#change = { points: [], isAppended: false };
  }
}

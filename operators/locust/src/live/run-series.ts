import { formatTime } from "@homeostat/core";
import { rounded } from "../api/status-values.ts";
import { type Snapshot, totalOf } from "./snapshot.ts";

/** The values of a point, in the order of {@link seriesColumns}. A missing value is null. */
export type SeriesPoint = readonly [at: number, ...values: readonly (number | null)[]];

/**
 * Names of the values of a point. `at` is in milliseconds since 1970. Rates, `p50` and `p95` are those of the last seconds; `failPercent`, `p99` and the
 * counts are those of the whole run, because Locust reports no others.
 */
export const seriesColumns = [
  "at",
  "users",
  "requestsPerSecond",
  "failuresPerSecond",
  "failPercent",
  "p50",
  "p95",
  "p99",
  "requests",
  "failures",
] as const;

/** Returns the point of a snapshot. */
export function pointOf(snapshot: Snapshot): SeriesPoint {
  const total = totalOf(snapshot);
  const { at, userCount, currentRps, totalRps, currentFailuresPerSecond, failRatio, currentP50, currentP95 } = snapshot;
  return [
    at,
    userCount,
    rounded(currentRps ?? totalRps) ?? null,
    rounded(currentFailuresPerSecond) ?? null,
    rounded(failRatio === undefined ? undefined : failRatio * 100) ?? null,
    rounded(currentP50) ?? null,
    rounded(currentP95) ?? null,
    rounded(total?.p99) ?? null,
    total?.requests ?? null,
    total?.failures ?? null,
  ];
}

/** Largest number of points of a run: 2 hours and 45 minutes at an interval of 5 seconds. */
export const pointsMax = 2_000;

/**
 * The statistics of one run as a series of points with a limit.
 *
 * At the limit every second point is dropped, and later points are kept at twice the distance. The first and the newest point are always part of it.
 */
export class RunSeries {
  readonly #pointsMax: number;
  #points: SeriesPoint[] = [];
  #stepMs = 0;

  constructor(max: number = pointsMax) {
    this.#pointsMax = max;
  }

  /** Returns the points, the oldest first. */
  get points(): readonly SeriesPoint[] {
    return this.#points;
  }

  /** Adds a point. A point that is not newer than the last one is ignored. */
  add(point: SeriesPoint): void {
    const points = this.#points;
    const [last, beforeLast] = [points.at(-1), points.at(-2)];
    if (last !== undefined && point[0] <= last[0]) return;
    // The newest point is replaced until it has its distance to the one before.
    if (last !== undefined && beforeLast !== undefined && last[0] - beforeLast[0] < this.#stepMs) points.pop();
    points.push(point);
    if (points.length > this.#pointsMax) this.#thinOut();
  }

  #thinOut(): void {
    const newest = this.#points.length - 1;
    this.#points = this.#points.filter((_, index) => index % 2 === 0 || index === newest);
    const [first, last] = [this.#points[0], this.#points.at(-1)];
    this.#stepMs = ((last?.[0] ?? 0) - (first?.[0] ?? 0)) / Math.max(1, this.#points.length - 1);
  }
}

/** Returns points as CSV with a header, and with times in RFC 3339. */
export function seriesCsv(points: readonly SeriesPoint[]): string {
  const lines = points.map(([at, ...values]) => [formatTime(at), ...values.map((value) => value ?? "")].join(","));
  return `${[seriesColumns.join(","), ...lines].join("\n")}\n`;
}

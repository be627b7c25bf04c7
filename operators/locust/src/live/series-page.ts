import type { Route, RouteRequest, RouteResponse } from "@homeostat/runtime";
import { type SeriesPoint, seriesColumns } from "./run-series.ts";
import type { SeriesStore } from "./series-store.ts";

/** A run of a test with its points, as the page sends it. */
interface SentRun {
  readonly uid: string;
  readonly run: number;
  readonly points: readonly SeriesPoint[];
}

/**
 * Returns the page `/load-tests`, which has the statistics of runs since their start as JSON.
 *
 * `/load-tests/NAMESPACE/NAME` has all known runs of a test. `?run=2` selects one of them, and `?after=MS` its points after a time in milliseconds since
 * 1970, so that a client can follow a run.
 */
export function seriesPage(store: SeriesStore): Route {
  return { path: "/load-tests", respond: (request) => respond(store, request) };
}

function respond(store: SeriesStore, { rest, query }: RouteRequest): RouteResponse {
  const [namespace, name, ...more] = rest;
  if (namespace === undefined) return json(200, { columns: seriesColumns });
  if (name === undefined || more.length > 0)
    return json(404, { message: "The path of a test is /load-tests/NAMESPACE/NAME." });
  const run = numberOf(query.get("run"));
  const after = numberOf(query.get("after")) ?? -Infinity;
  const runs = store
    .runsOf(`${namespace}/${name}`)
    .filter((one) => run === undefined || one.run === run)
    .map((one): SentRun => {
      const points = store.points(one.uid, one.run) ?? [];
      return { uid: one.uid, run: one.run, points: points.filter(([at]) => at > after) };
    });
  return json(200, { columns: seriesColumns, runs });
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns a response without indentation: a series has thousands of numbers. */
function json(status: number, value: unknown): RouteResponse {
  return { status, contentType: "application/json", body: `${JSON.stringify(value)}\n` };
}

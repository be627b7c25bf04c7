import { type Check, runChecks } from "./check.ts";
import { type Route, type RouteRequest, type RouteResponse, textResponse } from "./route.ts";

/** What the health of a program is made of; asked anew at every request. */
export interface Health {
  /** What fails only when a restart is the remedy. */
  readonly live: () => readonly Check[];
  /** What has to hold for the program to do its work, or to take it over. */
  readonly ready: () => readonly Check[];
}

/**
 * `/livez`, `/readyz` and `/healthz` (the same as `/livez`), in the manner of an API server.
 *
 * `ok`, or 500 with a line per check; `?verbose` shows the lines in any case, `?exclude=name` leaves a check out, and
 * `/readyz/name` asks for one alone.
 */
export function healthRoutes({ live, ready }: Health): readonly Route[] {
  return [healthRoute("livez", live), healthRoute("healthz", live), healthRoute("readyz", ready)];
}

function healthRoute(title: string, checks: () => readonly Check[]): Route {
  return { path: `/${title}`, answer: (request) => answer(title, checks(), request) };
}

function answer(title: string, checks: readonly Check[], { rest, query }: RouteRequest): RouteResponse {
  const wanted = rest.join("/");
  const excluded = new Set(query.getAll("exclude"));
  const chosen =
    wanted === "" ? checks.filter(({ name }) => !excluded.has(name)) : checks.filter(({ name }) => name === wanted);
  if (wanted !== "" && chosen.length === 0) {
    return textResponse(404, `There is no such check. There are: ${checks.map(({ name }) => name).join(", ")}.`);
  }
  const { isPassed, text } = runChecks(title, chosen);
  return textResponse(isPassed ? 200 : 500, isPassed && !query.has("verbose") ? "ok" : text);
}

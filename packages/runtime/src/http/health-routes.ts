import { type Check, runChecks } from "./check.ts";
import { type Route, type RouteRequest, type RouteResponse, textResponse } from "./route.ts";

/** The health checks of a program, evaluated on every request. */
export interface Health {
  /** Checks that fail only if a restart would help. */
  readonly live: () => readonly Check[];
  /** Checks that must pass for the program to do its work, or to take it over from a leader. */
  readonly ready: () => readonly Check[];
}

/**
 * Returns the routes `/livez` and `/readyz` with the semantics of the API server's, `/healthz` and `/health` (the same as `/livez`), and
 * `/ready` (the same as `/readyz`).
 *
 * They return `ok`, or 500 with a line per check. `?verbose` always shows the lines, `?exclude=name` skips a check,
 * and `/readyz/name` runs a single one.
 */
export function healthRoutes({ live, ready }: Health): readonly Route[] {
  return [
    healthRoute("livez", live),
    healthRoute("healthz", live),
    healthRoute("health", live),
    healthRoute("readyz", ready),
    healthRoute("ready", ready),
  ];
}

function healthRoute(title: string, checks: () => readonly Check[]): Route {
  return { path: `/${title}`, respond: (request) => respond(title, checks(), request) };
}

function respond(title: string, checks: readonly Check[], { rest, query }: RouteRequest): RouteResponse {
  const requested = rest.join("/");
  const excluded = new Set(query.getAll("exclude"));
  const chosen =
    requested === ""
      ? checks.filter(({ name }) => !excluded.has(name))
      : checks.filter(({ name }) => name === requested);
  if (requested !== "" && chosen.length === 0) {
    return textResponse(404, `Check not found. Available checks: ${checks.map(({ name }) => name).join(", ")}.`);
  }
  const { isPassed, text } = runChecks(title, chosen);
  return textResponse(isPassed ? 200 : 500, isPassed && !query.has("verbose") ? "ok" : text);
}

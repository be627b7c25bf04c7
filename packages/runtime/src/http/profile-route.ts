import type { Clock } from "@homeostat/core";
import { jsonResponse, type Route, type RouteResponse, textResponse } from "./route.ts";

const secondsDefault = 5;
const secondsMax = 60;

/** Takes a CPU profile for a time and resolves with it as JSON. Rejects when the signal aborts. */
export type TakeProfile = (ms: number, signal: AbortSignal) => Promise<string>;

/**
 * Returns the route `/debug/profile?seconds=5`, which takes a CPU profile of the process for the developer tools of a
 * browser (`.cpuprofile`).
 *
 * Only one profile is taken at a time. It slows the program down a little.
 */
export function profileRoute(take: TakeProfile): Route {
  let isTaking = false;
  return {
    path: "/debug/profile",
    isLocal: true,
    requestMsMax: (secondsMax + 15) * 1000,
    async respond({ query, signal, rest }): Promise<RouteResponse> {
      if (rest.length > 0) return textResponse(404, "Path not found. Use /debug/profile?seconds=5.");
      const seconds = Number(query.get("seconds") ?? secondsDefault);
      if (!(seconds > 0 && seconds <= secondsMax)) {
        return textResponse(400, `seconds must be greater than 0 and at most ${secondsMax}.`);
      }
      if (isTaking) return jsonResponse(409, { message: "Another profile is being taken. Retry when it is done." });
      isTaking = true;
      try {
        return { status: 200, contentType: "application/json", body: await take(seconds * 1000, signal) };
      } finally {
        isTaking = false;
      }
    },
  };
}

/** Returns a function that profiles this process with `node:inspector`, which is loaded on first use. */
export function inspectorProfile(clock: Clock): TakeProfile {
  return async (ms, signal) => {
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    try {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await clock.sleep(ms, signal);
      const { profile } = await session.post("Profiler.stop");
      return JSON.stringify(profile);
    } finally {
      session.disconnect();
    }
  };
}

import type { Clock } from "@homeostat/core";
import { jsonResponse, type Route, type RouteResponse, textResponse } from "./route.ts";

const secondsDefault = 5;
const secondsMax = 60;

/** Takes a CPU profile until the signal aborts or the time is up, and returns it as JSON. */
export type TakeProfile = (ms: number, signal: AbortSignal) => Promise<string>;

/**
 * `/debug/profile?seconds=5`: a CPU profile of the process, for the developer tools of a browser (`.cpuprofile`).
 *
 * One at a time. While it is taken, the program is a little slower.
 */
export function profileRoute(take: TakeProfile): Route {
  let isTaking = false;
  return {
    path: "/debug/profile",
    isLocal: true,
    requestMsMax: (secondsMax + 15) * 1000,
    async answer({ query, signal, rest }): Promise<RouteResponse> {
      if (rest.length > 0) return textResponse(404, "There is nothing here. Try /debug/profile?seconds=5.");
      const seconds = Number(query.get("seconds") ?? secondsDefault);
      if (!(seconds > 0 && seconds <= secondsMax)) {
        return textResponse(400, `seconds must be a number above 0 and at most ${secondsMax}.`);
      }
      if (isTaking)
        return jsonResponse(409, { message: "A profile is being taken already. Try again when it is done." });
      isTaking = true;
      try {
        return { status: 200, contentType: "application/json", body: await take(seconds * 1000, signal) };
      } finally {
        isTaking = false;
      }
    },
  };
}

/** Profiles this process by means of `node:inspector`, which is loaded when the first one is asked for. */
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

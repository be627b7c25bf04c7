import type { Transport } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { LiveStats } from "./live-stats.ts";
import { LivePoller, type MasterPlace } from "./live-poller.ts";
import { placeOf } from "./place.ts";
import { podWeb, type ResolvePod } from "./pod-web.ts";
import { proxyWeb } from "./proxy-web.ts";

/** What live numbers are made from. */
export interface LiveStatsOptions {
  /** How masters are reached: `LIVE_STATS_ACCESS`. */
  readonly access: "podIP" | "apiProxy" | "off";
  /** Leads to the API server, for `apiProxy`. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the addresses of pods lead from here, when not to themselves, as in a simulated cluster. */
  readonly resolve?: ResolvePod | undefined;
  /** Called for every poll that failed. */
  readonly onError?: ((key: string) => void) | undefined;
}

/** The live numbers of an operator, by the way its configuration names. */
export function createLiveStats({ access, transport, clock, random, resolve, onError }: LiveStatsOptions): LiveStats {
  return new LivePoller({
    web: access === "apiProxy" ? proxyWeb(transport) : podWeb(resolve),
    clock,
    random,
    placeOf: access === "off" ? nowhere : placeOf,
    ...(onError === undefined ? {} : { onError }),
  });
}

function nowhere(): MasterPlace {
  return { type: "none", reason: "Disabled", message: "The operator asks no master: LIVE_STATS_ACCESS is off" };
}

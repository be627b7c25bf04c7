import type { Clock } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import { describeStuck } from "../controller/stuck-workers.ts";
import type { ControllerUnit } from "../controller/unit.ts";
import type { ElectionState } from "../election/state.ts";
import type { Check } from "../http/check.ts";
import { sentenceOfError } from "../log/error-record.ts";
import type { Part } from "./part.ts";

/** A check that always passes. The response itself proves that the process works. */
export const ping: Check = { name: "ping", problem: () => undefined };

/** Detects a step-down that does not finish, because work of the lost term does not stop. Only a restart helps then. */
export class StepDownMonitor {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ at }: ElectionState): void {
    this.#since = at === "stepping-down" ? (this.#since ?? this.#clock.monotonic()) : undefined;
  }

  /** Returns a check that fails when stepping down takes longer than the limit. */
  check(limitMs: number): Check {
    return {
      name: "leader-election",
      problem: () => {
        const tookMs = this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since;
        if (tookMs <= limitMs) return undefined;
        return `failed: leadership ended ${Math.round(tookMs / 1000)} s ago, but some work has not stopped`;
      },
    };
  }
}

/** Returns a check that fails when stuck reconciles occupy every worker of a controller. Only a restart frees them. */
export function workersCheck(unit: Pick<ControllerUnit, "name" | "blocked">): Check {
  return {
    name: `controller/${unit.name}`,
    problem: () => {
      const stuck = unit.blocked();
      if (stuck === undefined) return undefined;
      return `failed: all workers are stuck in reconciles that ignore their signal: ${describeStuck(stuck)}`;
    },
  };
}

/** Returns a check that fails until all caches have synced once. Later outages do not make it fail: a stale cache is still usable. */
export function cacheCheck(cache: Pick<Cache, "stats">): Check {
  return {
    name: "caches",
    problem: () => {
      const missing = cache.stats().filter(({ health }) => !health.isSynced);
      if (missing.length === 0) return undefined;
      const names = missing.map(({ name, health }) =>
        health.error === undefined ? name : `${name} (${sentenceOfError(health.error)})`,
      );
      return `failed: not synced: ${names.join(", ")}`;
    },
  };
}

/** Returns a check that fails when a part cannot work, or on standby could not take over. */
export function partCheck(part: Part): Check {
  return {
    name: part.name,
    problem: () => {
      const { state, work } = part;
      switch (state.at) {
        case "waiting":
          return "failed: not started yet";
        case "degraded":
          return state.reason === "optional-kinds" ? undefined : `degraded: ${state.why}`;
        case "warming":
          return work.ready === undefined ? undefined : "failed: caches not synced";
        case "warm":
          return part.isRunning && work.isReady?.() === false ? "failed: not ready" : undefined;
        case "failed":
          return `failed: ${sentenceOfError(state.error)}`;
        case "closed":
          return "failed: stopped";
      }
    },
  };
}

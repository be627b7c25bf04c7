import type { Clock } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import { describeStuck } from "../controller/stuck-workers.ts";
import type { ControllerUnit } from "../controller/unit.ts";
import type { ElectionState } from "../election/state.ts";
import type { Check } from "../http/check.ts";
import { sentenceOfError } from "../log/error-record.ts";
import type { Part } from "./part.ts";

/** A check that always passes: that it is answered is the proof. */
export const ping: Check = { name: "ping", problem: () => undefined };

/** Watches an election for a step down that does not come to its end, which only a restart helps against. */
export class SteppingDown {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ at }: ElectionState): void {
    this.#since = at === "stepping-down" ? (this.#since ?? this.#clock.monotonic()) : undefined;
  }

  /** Fails when stepping down has taken longer than it may. */
  check(limitMs: number): Check {
    return {
      name: "leader-election",
      problem: () => {
        const tookMs = this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since;
        if (tookMs <= limitMs) return undefined;
        return `failed: leading ended ${Math.round(tookMs / 1000)} s ago, but some of its work does not stop`;
      },
    };
  }
}

/** Fails when stuck reconciles keep every worker of a controller. Nothing but a restart frees them. */
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

/** Whether all that is cached has been there once. Afterwards it is at most behind, which is no reason not to be ready. */
export function cacheCheck(cache: Pick<Cache, "stats">): Check {
  return {
    name: "caches",
    problem: () => {
      const missing = cache.stats().filter(({ health }) => !health.isSynced);
      if (missing.length === 0) return undefined;
      const told = missing.map(({ name, health }) =>
        health.error === undefined ? name : `${name} (${sentenceOfError(health.error)})`,
      );
      return `failed: not filled yet: ${told.join(", ")}`;
    },
  };
}

/** Whether a part can do its work, or take it over. */
export function partCheck(part: Part): Check {
  return {
    name: part.name,
    problem: () => {
      const { state, work } = part;
      switch (state.at) {
        case "waiting":
          return "failed: not started yet";
        case "degraded":
          return `degraded: ${state.why}`;
        case "warming":
          return work.ready === undefined ? undefined : "failed: its caches are not filled yet";
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

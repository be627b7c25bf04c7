import type { Clock, Random } from "@homeostat/core";
import type { ControllerSource } from "@homeostat/runtime";
import { LocustTest } from "../api/locust-test.ts";
import type { LiveStats, LiveTarget, LiveView, ResultFiles } from "./live-stats.ts";
import { MasterUnreachableError } from "./errors.ts";
import { FollowedMaster } from "./followed-master.ts";
import { News } from "./news.ts";
import type { MasterAddress, MasterWeb } from "./web.ts";

/** Where a master's web API is, or why it has none. */
export type MasterPlace =
  | { readonly type: "address"; readonly address: MasterAddress }
  | { readonly type: "none"; readonly reason: "WebUIDisabled" | "Disabled"; readonly message: string };

/** What a poller is made of. */
export interface LivePollerOptions {
  readonly web: MasterWeb;
  readonly clock: Clock;
  readonly random: Random;
  /** Reads where a master is from how it was started. */
  readonly placeOf: (target: LiveTarget) => MasterPlace;
  /** Called for every poll that failed, for the metrics. */
  readonly onError?: (key: string) => void;
}

type Followed =
  | { readonly target: LiveTarget; readonly master: FollowedMaster }
  | { readonly target: LiveTarget; readonly view: LiveView };

/**
 * Follows the masters of running tests by their web API (21.1): one timer and at most one request for each.
 *
 * It works while somebody listens to its {@link source}, which is as long as this process leads; then it forgets everything.
 */
export class LivePoller implements LiveStats {
  readonly source: ControllerSource<string>;
  readonly #options: LivePollerOptions;
  readonly #tests = new Map<string, Followed>();
  readonly #news = new News();

  constructor(options: LivePollerOptions) {
    this.#options = options;
    this.source = {
      name: "live-stats",
      open: (signal) => this.#listen(signal),
      // There is a controller for each namespace, and all of them listen: a key is for the one that knows the test.
      map: (key, cache) => (cache.get(LocustTest, key) === undefined ? [] : [key]),
    };
  }

  track(target: LiveTarget): void {
    const known = this.#tests.get(target.key);
    if (known !== undefined && isSame(known.target, target)) return;
    this.forget(target.key);
    const place = this.#options.placeOf(target);
    if (place.type === "none") {
      this.#tests.set(target.key, { target, view: viewWithout(place) });
      return;
    }
    const { web, clock, random, onError } = this.#options;
    const onPoll = (key: string, hasFailed: boolean): void => {
      if (hasFailed) onError?.(key);
      this.#news.add(key);
    };
    const master = new FollowedMaster(target, place.address, { web, clock, random, onPoll });
    this.#tests.set(target.key, { target, master });
    master.begin();
  }

  forget(key: string): void {
    const known = this.#tests.get(key);
    if (known !== undefined && "master" in known) known.master[Symbol.dispose]();
    this.#tests.delete(key);
  }

  view(key: string): LiveView | undefined {
    const known = this.#tests.get(key);
    if (known === undefined) return undefined;
    return "master" in known ? known.master.view : known.view;
  }

  async stop(key: string, signal: AbortSignal): Promise<void> {
    await this.#master(key).stop(signal);
  }

  async files(key: string, signal: AbortSignal): Promise<ResultFiles | undefined> {
    const known = this.#tests.get(key);
    return known !== undefined && "master" in known ? known.master.files(signal) : undefined;
  }

  #master(key: string): FollowedMaster {
    const known = this.#tests.get(key);
    if (known !== undefined && "master" in known) return known.master;
    throw new MasterUnreachableError(key, known === undefined ? "is not followed" : "has no web interface");
  }

  async *#listen(signal: AbortSignal): AsyncGenerator<string> {
    try {
      yield* this.#news.read(signal);
    } finally {
      if (this.#news.readers === 0) for (const key of this.#tests.keys()) this.forget(key);
    }
  }
}

function isSame(one: LiveTarget, other: LiveTarget): boolean {
  return (
    one.uid === other.uid &&
    one.run === other.run &&
    one.pod.uid === other.pod.uid &&
    one.pod.ip === other.pod.ip &&
    one.intervalSeconds === other.intervalSeconds
  );
}

function viewWithout({ reason, message }: MasterPlace & { readonly type: "none" }): LiveView {
  return {
    reason,
    message,
    snapshot: undefined,
    isFresh: false,
    isFinal: false,
    peakUsers: 0,
    workers: undefined,
    begunAt: undefined,
  };
}

import type { Transport } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { ControllerSource } from "@homeostat/runtime";
import { LocustTest } from "../api/locust-test.ts";
import { effectiveArguments } from "../build/effective-arguments.ts";
import type { Settings } from "../settings/settings.ts";
import { FollowedMaster, MasterUnreachableError } from "./followed-master.ts";
import type { LiveStats, LiveTarget, LiveView } from "./live-stats.ts";
import type { ResultFiles } from "./snapshot.ts";
import { type MasterAddress, type MasterWeb, podWeb, proxyWeb, type ResolvePod } from "./web-api.ts";

export interface LiveStatsOptions {
  readonly access: Settings["liveStats"]["access"];
  /** Leads to the API server, for access `apiProxy`. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Maps pod addresses where they cannot be reached directly, as in a simulated cluster. */
  readonly resolve?: ResolvePod | undefined;
  /** Called for every failed poll. */
  readonly onError?: ((key: string) => void) | undefined;
}

/** Creates the poller for the configured access. */
export function createLiveStats({ access, transport, resolve, ...options }: LiveStatsOptions): LiveStats {
  const web = access === "apiProxy" ? proxyWeb(transport) : podWeb(resolve);
  return new LivePoller({ web, isOff: access === "off", ...options });
}

export interface LivePollerOptions extends Pick<LiveStatsOptions, "clock" | "random" | "onError"> {
  readonly web: MasterWeb;
  /** No master is polled at all. */
  readonly isOff?: boolean;
}

/** A tracked test: its master, or why the master has no web API. */
type Tracked =
  | { readonly target: LiveTarget; readonly master: FollowedMaster }
  | { readonly target: LiveTarget; readonly view: LiveView };

/** The poller. It works while a controller listens to its source, that is while this process leads; then it drops all state. */
export class LivePoller implements LiveStats {
  readonly source: ControllerSource<string>;
  readonly #options: LivePollerOptions;
  readonly #tests = new Map<string, Tracked>();
  readonly #listeners = new Set<Listener>();

  constructor(options: LivePollerOptions) {
    this.#options = options;
    this.source = {
      name: "live-stats",
      open: (signal) => this.#listen(signal),
      // With watched namespaces there is one controller per namespace: a key is for the one that has the test.
      map: (key, cache) => (cache.get(LocustTest, key) === undefined ? [] : [key]),
    };
  }

  track(target: LiveTarget): void {
    const known = this.#tests.get(target.key);
    if (known !== undefined && isSameTarget(known.target, target)) return;
    this.forget(target.key);
    const { isOff = false, onError, ...options } = this.#options;
    const place = isOff ? viewWithout("Disabled", "LIVE_STATS_ACCESS of the operator is off") : addressOf(target);
    if ("reason" in place) {
      this.#tests.set(target.key, { target, view: place });
      return;
    }
    const onPoll = (key: string, hasFailed: boolean): void => {
      if (hasFailed) onError?.(key);
      for (const listener of this.#listeners) listener.add(key);
    };
    const master = new FollowedMaster(target, place, { ...options, onPoll });
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
    return known === undefined || "view" in known ? known?.view : known.master.view;
  }

  async stop(key: string, signal: AbortSignal): Promise<void> {
    const known = this.#tests.get(key);
    if (known !== undefined && "master" in known) return known.master.stop(signal);
    throw new MasterUnreachableError(key, known === undefined ? "is not tracked" : "has no web interface");
  }

  async files(key: string, signal: AbortSignal): Promise<ResultFiles | undefined> {
    const known = this.#tests.get(key);
    return known !== undefined && "master" in known ? known.master.files(signal) : undefined;
  }

  async *#listen(signal: AbortSignal): AsyncGenerator<string> {
    const listener = new Listener();
    this.#listeners.add(listener);
    try {
      yield* listener.read(signal);
    } finally {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) for (const key of this.#tests.keys()) this.forget(key);
    }
  }
}

/** The changed keys that one controller has not read yet, each once. */
class Listener {
  readonly #keys = new Set<string>();
  #wake: () => void = () => undefined;

  add(key: string): void {
    this.#keys.add(key);
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<string> {
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake, { once: true });
    try {
      while (!signal.aborted) {
        for (const key of this.#keys) {
          this.#keys.delete(key);
          yield key;
        }
        if (signal.aborted || this.#keys.size > 0) continue;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }
}

/** Returns the address of a master's web API from the arguments and environment of its container. */
function addressOf({ pod, args, env }: LiveTarget): MasterAddress | LiveView {
  const { headless, webPort, webBasePath, tls } = effectiveArguments({ args, env });
  if (headless) return viewWithout("WebUIDisabled", "The master has no web interface: it runs with --headless");
  const { namespace, name, ip } = pod;
  return { namespace, pod: name, ip, port: webPort, basePath: webBasePath, isTls: tls };
}

function isSameTarget(one: LiveTarget, other: LiveTarget): boolean {
  return (
    one.uid === other.uid &&
    one.run === other.run &&
    one.pod.uid === other.pod.uid &&
    one.pod.ip === other.pod.ip &&
    one.intervalSeconds === other.intervalSeconds
  );
}

function viewWithout(reason: LiveView["reason"], message: string): LiveView {
  const nothing = { snapshot: undefined, workers: undefined, begunAt: undefined };
  return { reason, message, ...nothing, isFresh: false, isFinal: false, peakUsers: 0 };
}

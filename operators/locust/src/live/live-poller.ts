import { type Clock, isEqual, type Random } from "@homeostat/core";
import { effectiveArguments } from "../api/effective-arguments.ts";
import { MasterPoller, MasterUnreachableError, type ResultFiles } from "./master-poller.ts";
import type { LiveTarget, LiveView } from "./live-view.ts";
import { pointOf } from "./run-series.ts";
import { SeriesStore } from "./series-store.ts";
import { hasEnded, totalOf } from "./snapshot.ts";
import type { MasterAddress, MasterWeb } from "./web-api.ts";

export interface LivePollerOptions {
  readonly web: MasterWeb;
  /** If true, no master is polled. */
  readonly isOff?: boolean;
  readonly clock: Clock;
  /** The clock of the API server: times of snapshots are written to the status. */
  readonly serverClock: Clock;
  readonly random: Random;
  readonly onError?: (key: string) => void;
}

/** A tracked test: its master, or why the master has no web API. */
type Tracked =
  | { readonly target: LiveTarget; readonly master: MasterPoller }
  | { readonly target: LiveTarget; readonly view: LiveView };

/**
 * Polls the web API of the masters of running tests. One per process.
 *
 * The controller calls `track` in every reconcile of a test whose master runs, and `forget` when the run has ended. Every
 * change of a `view` triggers a reconcile through `listen`. The controller listens while this process is the leader; when the
 * last listener ends, all state is dropped.
 */
export class LivePoller {
  readonly #options: LivePollerOptions;
  readonly #tests = new Map<string, Tracked>();
  readonly #listeners = new Set<Listener>();
  /** Statistics of runs from their start. They stay when a run has ended. */
  readonly series: SeriesStore = new SeriesStore();

  constructor(options: LivePollerOptions) {
    this.#options = options;
  }

  /** Starts polling. Has no effect for a master that is already polled. */
  track(target: LiveTarget): void {
    const known = this.#tests.get(target.key);
    if (known !== undefined && isSameTarget(known.target, target)) return;
    this.forget(target.key);
    const { isOff = false, onError, ...options } = this.#options;
    const address = isOff ? viewWithout("Disabled", "LIVE_STATS_ACCESS is off on the operator") : addressOf(target);
    if ("reason" in address) {
      this.#tests.set(target.key, { target, view: address });
      return;
    }
    const onPoll = (key: string, hasFailed: boolean): void => {
      if (hasFailed) onError?.(key);
      else this.#recordPoint(target);
      for (const listener of this.#listeners) listener.add(key);
    };
    const master = new MasterPoller(target, address, { ...options, onPoll });
    this.#tests.set(target.key, { target, master });
    master.begin();
  }

  /** Stops polling and drops the state. */
  forget(key: string): void {
    this.#master(key)?.[Symbol.dispose]();
    this.#tests.delete(key);
  }

  /** Returns the state; undefined for a test that is not tracked. */
  view(key: string): LiveView | undefined {
    const known = this.#tests.get(key);
    return known === undefined || "view" in known ? known?.view : known.master.view;
  }

  /** Requests the master to stop its users. Resolves once the request is sent, even without a response. */
  async stop(key: string, signal: AbortSignal): Promise<void> {
    const master = this.#master(key);
    if (master !== undefined) return master.stop(signal);
    throw new MasterUnreachableError(key, this.#tests.has(key) ? "has no web interface" : "is not being polled");
  }

  /** Downloads the CSV files of the run; undefined when the master does not provide them. */
  async files(key: string, signal: AbortSignal): Promise<ResultFiles | undefined> {
    return this.#master(key)?.files(signal);
  }

  /** Yields the keys of tests whose view has changed. */
  async *listen(signal: AbortSignal): AsyncGenerator<string> {
    const listener = new Listener();
    this.#listeners.add(listener);
    try {
      yield* listener.read(signal);
    } finally {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) for (const key of this.#tests.keys()) this.forget(key);
    }
  }

  /** Adds the newest snapshot of a run to its series, from the start of the load until its statistics no longer change. */
  #recordPoint({ key, uid, run }: LiveTarget): void {
    const { snapshot, startedAt } = this.view(key) ?? {};
    if (snapshot === undefined) return;
    const hasBegun = startedAt !== undefined || (totalOf(snapshot)?.requests ?? 0) > 0;
    if (!hasBegun) return;
    const point = pointOf(snapshot);
    const last = this.series.points(uid, run)?.at(-1);
    const isOver = hasEnded(snapshot, startedAt) && isEqual(last?.slice(1), point.slice(1));
    if (!isOver) this.series.add({ key, uid, run }, point);
  }

  #master(key: string): MasterPoller | undefined {
    const known = this.#tests.get(key);
    return known !== undefined && "master" in known ? known.master : undefined;
  }
}

/** The changed keys that one controller has not read yet, each once. With watched namespaces there are several controllers. */
class Listener {
  readonly #keys = new Set<string>();
  #notify: () => void = () => undefined;

  add(key: string): void {
    this.#keys.add(key);
    this.#notify();
  }

  async *read(signal: AbortSignal): AsyncGenerator<string> {
    const notify = (): void => this.#notify();
    signal.addEventListener("abort", notify, { once: true });
    try {
      while (!signal.aborted) {
        for (const key of this.#keys) {
          this.#keys.delete(key);
          yield key;
        }
        if (signal.aborted || this.#keys.size > 0) continue;
        await new Promise<void>((resolve) => (this.#notify = resolve));
      }
    } finally {
      signal.removeEventListener("abort", notify);
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
  const identity = ({ uid, run, pod, intervalSeconds }: LiveTarget): string =>
    JSON.stringify([uid, run, pod.uid, pod.ip, intervalSeconds]);
  return identity(one) === identity(other);
}

function viewWithout(reason: LiveView["reason"], message: string): LiveView {
  const nothing = { snapshot: undefined, workers: undefined, startedAt: undefined };
  return { reason, message, ...nothing, isFresh: false, isFinal: false, peakUsers: 0 };
}

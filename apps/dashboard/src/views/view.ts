import { setMaxListeners } from "node:events";
import type { Client, Connection } from "@homeostat/client";
import type { Clock, Random, ResourceType } from "@homeostat/core";
import { Cache, clientSources } from "@homeostat/runtime";

/** Parts that every view uses. */
export interface ViewContext {
  /** Client with the rights of the user. */
  readonly client: Client;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  /** Kinds that the user must not watch, as found by {@link mayWatch}. The view ends when one of them is allowed, so that the page opens it again with it. */
  readonly denials: Denials;
}

/** Objects to watch: of a kind, a namespace, or a single one. */
export interface WatchTarget {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Kinds that a user must not list and watch. */
export class Denials {
  #kinds: WatchTarget[] = [];

  add(kind: WatchTarget): void {
    const { type, namespace, name } = kind;
    const isKnown = this.#kinds.some(
      (other) => other.type === type && other.namespace === namespace && other.name === name,
    );
    if (!isKnown && this.#kinds.length < denialsMax) this.#kinds.push(kind);
  }

  /** Returns some of the kinds, and others the next time. */
  next(count: number): readonly WatchTarget[] {
    const kinds = this.#kinds.slice(0, count);
    this.#kinds = [...this.#kinds.slice(count), ...kinds];
    return kinds;
  }
}

/** Largest number of denied kinds that are reviewed again. */
const denialsMax = 100;
/** Number of denied kinds that are reviewed at the same time. */
const reviewsMax = 10;
/** Number of checks for problems after which denied kinds are reviewed again. */
const reviewEvery = 5;

/** A message of a view to the page: the name of an event and its data. */
export interface ViewMessage {
  readonly event: string;
  readonly data: unknown;
}

/**
 * A live view: sends a whole state first, then changes, until the signal aborts. It lists and watches only while it runs, with a cache of its own,
 * so that nothing is shared between users and nothing happens while no page is open.
 */
export type RunView = (emit: (message: ViewMessage) => void, signal: AbortSignal) => Promise<void>;

/** Milliseconds during which changes are collected before they are sent. */
export const batchMs = 100;

/** Interval at which failing watches are looked for, in milliseconds. */
const problemsMs = 1_000;

/** Creates a cache that reads with the rights of the user. */
export function openCache({ client, clock, random }: ViewContext): Cache {
  return new Cache({ sources: clientSources(client), clock, random });
}

/**
 * Runs a view with a cache: starts it, then reports failing watches until the signal aborts or the user gets more permissions. The cache stops with the view, also if the view fails to
 * start, for example because the API server refuses the user.
 */
export async function runWithCache(
  context: ViewContext,
  { emit, signal }: { readonly emit: (message: ViewMessage) => void; readonly signal: AbortSignal },
  start: (cache: Cache) => Promise<void>,
): Promise<void> {
  const cache = openCache(context);
  const stop = new AbortController();
  const running = cache.run(AbortSignal.any([signal, stop.signal]));
  try {
    await start(cache);
    await reportProblems(cache, context, { emit, signal });
  } finally {
    stop.abort(new Error("the view has ended"));
    await running;
  }
}

/** Reports whether the user may list and watch objects. */
export async function mayWatch(context: ViewContext, kind: WatchTarget, signal: AbortSignal): Promise<boolean> {
  const isAllowed = await isWatchAllowed(context, kind, signal);
  if (!isAllowed) context.denials.add(kind);
  return isAllowed;
}

async function isWatchAllowed(
  { client }: ViewContext,
  { type, namespace, name }: WatchTarget,
  signal: AbortSignal,
): Promise<boolean> {
  const verdicts = await Promise.all(
    ["list", "watch"].map((verb) => client.reviewOwnAccess({ verb, type, namespace, name }, { signal })),
  );
  return verdicts.every(({ isAllowed }) => isAllowed);
}

/** Reports whether a kind that was denied is allowed now. */
async function isDenialOver(context: ViewContext, signal: AbortSignal): Promise<boolean> {
  const kinds = context.denials.next(reviewsMax);
  try {
    const verdicts = await Promise.all(kinds.map((kind) => isWatchAllowed(context, kind, signal)));
    return verdicts.includes(true);
  } catch {
    // The failing watches of the view report that the API server does not respond.
    return false;
  }
}

/** Sends the requests of a cache that fail and are retried, whenever they change, until the signal aborts or a denied kind is allowed. */
async function reportProblems(
  cache: Cache,
  context: ViewContext,
  { emit, signal }: { readonly emit: (message: ViewMessage) => void; readonly signal: AbortSignal },
): Promise<void> {
  let last = "[]";
  for (let check = 1; !signal.aborted; check += 1) {
    if (check % reviewEvery === 0 && (await isDenialOver(context, signal))) return;
    const problems = cache
      .stats()
      .filter(({ health }) => health.failures > 0)
      .map(({ name, health: { error } }) => `${name}: ${error instanceof Error ? error.message : String(error)}`);
    const text = JSON.stringify(problems);
    if (text !== last) emit({ event: "problems", data: { problems } });
    last = text;
    await context.clock.sleep(problemsMs, signal).catch(() => undefined);
  }
}

/** Calls a function once for all requests within {@link batchMs}. */
export function batched(clock: Clock, run: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    clock.schedule(batchMs, () => {
      isScheduled = false;
      run();
    });
  };
}

/** Returns a signal that aborts with either of two. A view sends dozens of requests at once, each with a listener. */
export function endedBy(signal: AbortSignal, stop: AbortController): AbortSignal {
  const ended = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, ended);
  return ended;
}

/** Runs two views as one stream. The second one starts after the first message of the first one, which is therefore the first state of both. */
export function followedBy(first: RunView, second: RunView): RunView {
  return async (emit, signal) => {
    const stop = new AbortController();
    const ended = endedBy(signal, stop);
    let start: (() => void) | undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const run = async (view: () => Promise<void>): Promise<void> => {
      try {
        await view();
      } finally {
        // Without one of the views, the page opens the stream again.
        stop.abort(new Error("one of the views has ended"));
        start?.();
      }
    };
    const results = await Promise.allSettled([
      run(() =>
        first((message) => {
          emit(message);
          start?.();
        }, ended),
      ),
      run(async () => {
        await started;
        if (!ended.aborted) await second(emit, ended);
      }),
    ]);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined && !signal.aborted) throw failed.reason;
  };
}

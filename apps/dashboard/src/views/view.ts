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
}

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
 * Runs a view with a cache: starts it, then reports failing watches until the signal aborts. The cache stops with the view, also if the view fails to
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

/** Objects to watch: of a kind, a namespace, or a single one. */
export interface WatchTarget {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Reports whether the user may list and watch objects. */
export async function mayWatch(
  { client }: ViewContext,
  { type, namespace, name }: WatchTarget,
  signal: AbortSignal,
): Promise<boolean> {
  const verdicts = await Promise.all(
    ["list", "watch"].map((verb) => client.reviewOwnAccess({ verb, type, namespace, name }, { signal })),
  );
  return verdicts.every(({ isAllowed }) => isAllowed);
}

/** Sends the requests of a cache that fail and are retried, whenever they change, until the signal aborts. */
async function reportProblems(
  cache: Cache,
  { clock }: ViewContext,
  { emit, signal }: { readonly emit: (message: ViewMessage) => void; readonly signal: AbortSignal },
): Promise<void> {
  let last = "[]";
  while (!signal.aborted) {
    const problems = cache
      .stats()
      .filter(({ health }) => health.failures > 0)
      .map(({ name, health: { error } }) => `${name}: ${error instanceof Error ? error.message : String(error)}`);
    const text = JSON.stringify(problems);
    if (text !== last) emit({ event: "problems", data: { problems } });
    last = text;
    await clock.sleep(problemsMs, signal).catch(() => undefined);
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

import { type Clock, nextTurn, type Random, type ResourceType } from "@homeostat/core";
import { ReconnectBackoff } from "../cache/backoff.ts";
import { pause } from "../election/request.ts";
import type { CacheReader } from "../kinds/cache-reader.ts";
import type { FollowTarget } from "./follow.ts";
import { namespacedKey } from "./owner-key.ts";
import type { Source } from "./source.ts";

/** Dependencies of {@link followSource}. */
export interface SourceParts {
  readonly source: Source;
  /** Kind of the primary objects that the events of the source requeue. */
  readonly type: ResourceType;
  /** Namespace of keys that name none. */
  readonly namespace: string | undefined;
  readonly reader: CacheReader;
  readonly target: Pick<FollowTarget, "enqueue" | "failed">;
  readonly clock: Clock;
  readonly random: Random;
}

/** Number of events after which the loop yields to the event loop: a source that always has an event ready would block it otherwise. */
const burstMax = 64;

/**
 * Enqueues keys for the events of a source until the signal aborts or the stream ends. A stream that throws is reopened with backoff.
 *
 * Returns when the signal aborts, even if the stream ignores the signal.
 */
export async function followSource(parts: SourceParts, signal: AbortSignal): Promise<void> {
  const { source, target, clock, random } = parts;
  const backoff = new ReconnectBackoff(random);
  while (!signal.aborted) {
    try {
      await read(parts, signal, () => backoff.reset());
      return;
    } catch (error) {
      if (signal.aborted) return;
      target.failed(`source ${source.name}`, error);
      await pause(clock, backoff.fail(), [signal]);
    }
  }
}

/** Reads a stream to its end, or until the signal aborts. */
async function read(parts: SourceParts, signal: AbortSignal, onEvent: () => void): Promise<void> {
  let stop = (): void => undefined;
  const onAbort = (): void => stop();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const iterator = parts.source.open(signal)[Symbol.asyncIterator]();
    for (let count = 1; ; count += 1) {
      const next = await new Promise<IteratorResult<unknown> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (next === undefined || signal.aborted) {
        closeIterator(iterator);
        return;
      }
      if (next.done === true) return;
      onEvent();
      deliver(parts, next.value);
      if (count % burstMax === 0) await nextTurn();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Closes a stream without waiting: an iterator that ignored the signal may never return from `return()` either. */
function closeIterator(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => undefined);
}

function deliver({ source, type, namespace, reader, target }: SourceParts, event: unknown): void {
  try {
    for (const key of source.map(event, reader)) {
      target.enqueue(namespacedKey(type, key, namespace), { reason: `source ${source.name}`, priority: 0 });
    }
  } catch (error) {
    target.failed(`map of source ${source.name}`, error);
  }
}

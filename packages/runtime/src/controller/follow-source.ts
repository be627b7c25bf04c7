import { type Clock, nextTurn, type Random, type ResourceType } from "@homeostat/core";
import { ReconnectBackoff } from "../cache/backoff.ts";
import { pause } from "../election/request.ts";
import type { CacheReader } from "./context.ts";
import type { FollowTarget } from "./follow.ts";
import { placedKey } from "./owner-key.ts";
import type { Source } from "./source.ts";

/** What following a source takes. */
export interface SourceParts {
  readonly source: Source;
  /** The kind whose objects its events lead to. */
  readonly type: ResourceType;
  /** Where keys without a namespace are. */
  readonly namespace: string | undefined;
  readonly reader: CacheReader;
  readonly target: Pick<FollowTarget, "wake" | "failed">;
  readonly clock: Clock;
  readonly random: Random;
}

/** So many events in a row may come before everybody else gets a turn. */
const burstMax = 64;

/**
 * Follows a source until the signal aborts or the stream ends. A stream that throws is opened again after a while.
 *
 * It ends with the signal, even when the stream does not heed it.
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
        leave(iterator);
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

/** Tells a stream that nobody listens any more. Nobody waits for what it does about that. */
function leave(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => undefined);
}

function deliver({ source, type, namespace, reader, target }: SourceParts, event: unknown): void {
  try {
    for (const key of source.map(event, reader)) {
      target.wake(placedKey(type, key, namespace), { reason: `source ${source.name}`, priority: 0 });
    }
  } catch (error) {
    target.failed(`map of source ${source.name}`, error);
  }
}

// Writes the operations of a subscriber to a stream, no faster than the reader takes them.

import type { Clock } from "@homeostat/core";
import type { Subscriber } from "../feed/subscriber.ts";
import type { OperationLines } from "./operation-lines.ts";

/** The part of a response that operations are written to. */
export interface OperationSink {
  /** Returns false if the reader is behind; the next write waits for `drain`. */
  write(this: void, line: Buffer): boolean;
  onDrain(this: void, run: () => void): void;
  /** Closes the stream of a reader that does not read. */
  abandon(this: void): void;
}

const pingMs = 10_000;
/** Time after which a reader that has not read anything is disconnected. It may reconnect and continue. */
const stalledMs = 60_000;

export interface SendOptions {
  readonly sink: OperationSink;
  readonly lines: OperationLines;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends operations and keep-alive messages until the signal aborts. */
export async function sendOperations(
  subscriber: Subscriber,
  { sink, lines, clock, signal }: SendOptions,
): Promise<void> {
  const until = (ms: number, arrange: (done: () => void) => void): Promise<"event" | "time" | "end"> =>
    new Promise((resolve) => {
      const timer = clock.schedule(ms, () => finish("time"));
      const finish = (reason: "event" | "time" | "end"): void => {
        timer[Symbol.dispose]();
        signal.removeEventListener("abort", end);
        resolve(reason);
      };
      const end = (): void => finish("end");
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      else arrange(() => finish("event"));
    });
  let pingAtMs = clock.monotonic() + pingMs;
  while (!signal.aborted) {
    let operation = subscriber.take();
    if (operation === undefined) {
      const leftMs = pingAtMs - clock.monotonic();
      const reason = leftMs <= 0 ? "time" : await until(leftMs, (done) => subscriber.onReady(done));
      if (reason === "end") return;
      if (reason === "event") continue;
      operation = subscriber.ping();
      pingAtMs = clock.monotonic() + pingMs;
    }
    if (sink.write(lines.encode(operation))) continue;
    const reason = await until(stalledMs, sink.onDrain);
    if (reason === "time") sink.abandon();
    if (reason !== "event") return;
  }
}

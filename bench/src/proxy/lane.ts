/** A place for one request at a time: a connection of HTTP/1.1, or a stream of an HTTP/2 connection. */
export interface Lane {
  /** Sends a request and calls `done` when its whole response has arrived. */
  send(done: () => void): void;
}

/** Connections of a client to one server. */
export interface LoadClient {
  readonly lanes: readonly Lane[];
  /** Rejects with the first wrong response or broken connection. */
  readonly failed: Promise<never>;
  close(): void;
}

/** Returns a promise that rejects with the first error. It may have no reader at that moment. */
export function failure(): { readonly failed: Promise<never>; readonly fail: (error: Error) => void } {
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  return { failed, fail };
}

/** Sends requests as fast as responses arrive, one after the other on each lane. */
export async function sendAll({ lanes, failed }: LoadClient, requests: number): Promise<void> {
  let left = requests;
  let running = lanes.length;
  const done = new Promise<void>((resolve) => {
    const loop = (lane: Lane): void => {
      if (left > 0) {
        left -= 1;
        lane.send(() => loop(lane));
        return;
      }
      running -= 1;
      if (running === 0) resolve();
    };
    for (const lane of lanes) loop(lane);
  });
  await Promise.race([done, failed]);
}

/**
 * Sends requests at a constant rate and returns their latencies in microseconds. A request that finds no free lane is sent when one
 * is free, and its wait counts: a slow server does not lower the rate.
 */
export async function sendPaced(
  { lanes, failed }: LoadClient,
  { rate, requests }: { readonly rate: number; readonly requests: number },
): Promise<readonly number[]> {
  const latencies: number[] = [];
  const free = [...lanes];
  const waiting: number[] = [];
  const done = new Promise<void>((resolve) => {
    const start = performance.now();
    let sent = 0;
    const begin = (lane: Lane, dueMs: number): void =>
      lane.send(() => {
        latencies.push((performance.now() - dueMs) * 1_000);
        const next = waiting.shift();
        if (next !== undefined) begin(lane, next);
        else free.push(lane);
        if (latencies.length === requests) resolve();
      });
    // Timers have a resolution of a millisecond; the loop of the event loop is exact, and costs a core that the benchmark has.
    const tick = (): void => {
      const now = performance.now();
      while (sent < requests && start + (sent * 1_000) / rate <= now) {
        sent += 1;
        const lane = free.shift();
        if (lane === undefined) waiting.push(now);
        else begin(lane, performance.now());
      }
      if (sent < requests) setImmediate(tick);
    };
    tick();
  });
  await Promise.race([done, failed]);
  return latencies;
}

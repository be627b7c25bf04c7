import type { Body, Response } from "@homeostat/client";

/** Returns a response with a JSON body. */
export function jsonResponse(status: number, value: unknown): Response {
  let left: Uint8Array | undefined = Buffer.from(JSON.stringify(value));
  const takeWhole = (): Uint8Array | undefined => {
    const bytes = left;
    left = undefined;
    return bytes;
  };
  const body: Body = {
    takeWhole,
    cancel: () => void takeWhole(),
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const value = takeWhole();
        return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
      },
    }),
  };
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Returns the response to a watch that reports no changes, until the signal aborts. */
export function silentWatch(signal: AbortSignal | undefined): Response {
  let end: () => void = () => undefined;
  let isOver = signal?.aborted === true;
  const stop = (): void => {
    isOver = true;
    end();
  };
  signal?.addEventListener("abort", stop, { once: true });
  const body: Body = {
    cancel: stop,
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          end = () => resolve({ done: true, value: undefined });
          if (isOver) end();
        }),
    }),
  };
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

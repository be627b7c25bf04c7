import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "@homeostat/core";
import type { Session } from "../access/access.ts";
import type { RunView } from "../views/view.ts";
import { refusalOf, sessionError } from "./refusals.ts";

/** Bytes that may wait for a slow client. Beyond it the stream ends; the page opens another one, which starts with the whole state. */
const waitingBytesMax = 32 * 1024 * 1024;
/** Interval of comments that keep proxies from closing an idle stream, in milliseconds. */
const heartbeatMs = 15_000;
/** Time after which a browser opens an ended stream again, in milliseconds. */
const retryMs = 1_000;

/** Parts of the server that a stream uses. */
export interface StreamContext {
  readonly clock: Clock;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/**
 * Sends the messages of a view as server-sent events until the client disconnects.
 *
 * A view that fails sends `failed` and ends the stream; browsers then open it again.
 */
export async function sendStream(response: ServerResponse, runView: RunView, context: StreamContext): Promise<void> {
  const { clock, onError } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  setMaxListeners(0, signal);
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  const write = (text: string): void => {
    if (signal.aborted) return;
    response.write(text);
    if (response.writableLength > waitingBytesMax) stop.abort(new Error("the client reads too slowly"));
  };
  const send = (event: string, data: unknown): void => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  write(`retry: ${retryMs}\n\n`);
  const heartbeat = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => undefined);
      write(":\n\n");
    }
  };
  const beating = heartbeat();
  try {
    await runView(({ event, data }) => send(event, data), signal);
  } catch (error) {
    if (!signal.aborted) {
      const refusal = refusalOf(error);
      if (refusal === undefined) onError(error);
      send("failed", refusal ?? { status: 500, message: "The dashboard failed. Its log has the details." });
    }
  }
  stop.abort(new Error("the view has ended"));
  await beating;
  if (context.signal.aborted) response.destroy();
  else response.end();
}

/**
 * Ends a view when the session of its user expires: its watches would otherwise go on with a token that is no longer valid. The browser opens the stream
 * again and is refused.
 */
export function untilExpiry(
  runView: RunView,
  session: Pick<Session, "expiresAt" | "hasLogout">,
  clock: Clock,
): RunView {
  return async (emit, signal) => {
    const { expiresAt = Infinity } = session;
    using expiry = clock.timeout(expiresAt - clock.now());
    const ended = AbortSignal.any([signal, expiry.signal]);
    setMaxListeners(0, ended);
    try {
      await runView(emit, ended);
    } catch (error) {
      if (!expiry.signal.aborted) throw sessionError(error, session);
    }
  };
}

/** Returns the first state of a view, then stops it. */
export async function firstState(
  runView: RunView,
  { clock, signal }: Pick<StreamContext, "clock" | "signal">,
): Promise<unknown> {
  const stop = new AbortController();
  using deadline = clock.timeout(30_000);
  const ended = AbortSignal.any([signal, stop.signal, deadline.signal]);
  setMaxListeners(0, ended);
  let state: { readonly value: unknown } | undefined;
  await runView(({ event, data }) => {
    if (event === "problems" || state !== undefined) return;
    state = { value: event === "missing" ? undefined : data };
    stop.abort(new Error("the first state was read"));
  }, ended).catch((error: unknown) => {
    if (state === undefined && !deadline.signal.aborted) throw error;
  });
  if (state === undefined) deadline.signal.throwIfAborted();
  return state?.value;
}

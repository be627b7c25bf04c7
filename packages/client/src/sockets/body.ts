import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { ArgumentError, type Clock, DeadlineError, NetworkError } from "@homeostat/core";
import { type Body, isStream, type Request } from "../transport/transport.ts";
import { pathOnly } from "./path-only.ts";

/** What a body is read from. */
export interface BodyOptions {
  readonly message: IncomingMessage;
  /** The message itself, or its decompressed contents. */
  readonly stream: Readable;
  readonly request: Request;
  readonly clock: Clock;
  /** The longest wait for the next piece. It runs only while somebody waits: a slow reader is not the server's fault. */
  readonly idleMs: number;
  /** Called once, when nothing more will come: the end was read, the body was given up, the connection broke. */
  readonly onEnd: () => void;
}

/** An unread rest smaller than this is read to its end, so that the connection can be used again. */
const drainBytesMax = 64 * 1024;
/** What is small is there at once, or not worth waiting for. */
const drainMsMax = 1000;

/** The body of an answer as an iterable of pieces that can be read once. */
export function readBody(options: BodyOptions): Body {
  const { message, stream, onEnd } = options;
  let isTaken = false;
  message.once("close", onEnd);
  // Without a listener an error after the body was given up would end the process.
  stream.on("error", () => undefined);
  if (stream !== message) message.on("error", (error) => stream.destroy(error));
  return {
    [Symbol.asyncIterator]: () => {
      if (isTaken) throw new ArgumentError({ argument: "body", problem: "has been read; it can be read once." });
      isTaken = true;
      return pieces(options);
    },
    cancel: () => {
      if (isTaken) return;
      isTaken = true;
      if (stream !== message) {
        message.unpipe();
        stream.destroy();
      }
      drain(options);
    },
  };
}

/** Reads the rest of a small answer so that its connection can be used again; anything else is cut off. */
function drain({ message, request, clock }: BodyOptions): void {
  const length = Number(message.headers["content-length"] ?? 0);
  if (isStream(request) || length > drainBytesMax) {
    message.destroy();
    return;
  }
  let bytes = 0;
  const timer = clock.schedule(drainMsMax, () => message.destroy());
  message.once("close", () => timer[Symbol.dispose]());
  message.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > drainBytesMax) message.destroy();
  });
  message.resume();
}

// Written out rather than as a generator: `return` of a generator that was never entered would leave the connection open.
function pieces(options: BodyOptions): AsyncIterator<Uint8Array, undefined> {
  const { message, stream, request, clock, idleMs } = options;
  const source: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    // Leaving early closes the connection: nobody will read the rest, and a watch has no end.
    if (!message.complete) message.destroy();
    stream.destroy();
  };
  return {
    async next() {
      if (isOver) return { done: true, value: undefined };
      const timer =
        idleMs === Infinity ? undefined : clock.schedule(idleMs, () => stream.destroy(new DeadlineError(idleMs)));
      try {
        const result = await source.next();
        if (result.done !== true) return { done: false, value: result.value };
      } catch (cause) {
        // The reader has left while this was waiting: that is no failure.
        if (isOver) return { done: true, value: undefined };
        finish();
        request.signal?.throwIfAborted();
        throw broken(request, cause);
      } finally {
        timer?.[Symbol.dispose]();
      }
      if (isOver) return { done: true, value: undefined };
      finish();
      if (!message.complete) throw broken(request);
      return { done: true, value: undefined };
    },
    return() {
      finish();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

function broken(request: Request, cause?: unknown): NetworkError {
  const about = { method: request.method, path: pathOnly(request.path) };
  return cause === undefined
    ? new NetworkError({ socketCode: "ERR_STREAM_PREMATURE_CLOSE", request: about })
    : new NetworkError({ request: about }, { cause });
}

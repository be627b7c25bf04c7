import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { type Clock, DeadlineError, NetworkError } from "@homeostat/core";
import type { Body, Request } from "../transport/transport.ts";
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
  readonly onEnd: () => void;
}

/** An unread rest smaller than this is read to its end, so that the connection can be used again. */
const drainBytesMax = 64 * 1024;

/** The body of an answer as an iterable of pieces that can be read once. */
export function readBody(options: BodyOptions): Body {
  const { message, stream, onEnd } = options;
  let isTaken = false;
  stream.once("close", onEnd);
  // Without a listener an error after the body was given up would end the process.
  stream.on("error", () => undefined);
  if (stream !== message) message.on("error", (error) => stream.destroy(error));
  return {
    [Symbol.asyncIterator]: () => {
      isTaken = true;
      return pieces(options);
    },
    cancel: () => {
      if (isTaken) return;
      const length = Number(message.headers["content-length"] ?? Number.NaN);
      if (length <= drainBytesMax) message.resume();
      else message.destroy();
    },
  };
}

async function* pieces({ message, stream, request, clock, idleMs }: BodyOptions): AsyncGenerator<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = clock.schedule(idleMs, () => stream.destroy(new DeadlineError(idleMs)));
      let result;
      try {
        result = await iterator.next();
      } finally {
        timer[Symbol.dispose]();
      }
      if (result.done === true) break;
      yield result.value;
    }
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new NetworkError({ request: { method: request.method, path: pathOnly(request.path) } }, { cause });
  } finally {
    // Leaving early closes the connection: nobody will read the rest, and a watch has no end.
    if (!message.complete) message.destroy();
    stream.destroy();
  }
  if (!message.complete)
    throw new NetworkError({
      socketCode: "ERR_STREAM_PREMATURE_CLOSE",
      request: { method: request.method, path: pathOnly(request.path) },
    });
}

import type { Socket } from "node:net";
import type { MuxStream } from "../mux/stream.ts";
import { gather } from "./gather.ts";

/** Called once when a spliced socket and its stream have ended. */
export type SpliceEnd = (end: { readonly isClean: boolean; readonly error: Error | undefined }) => void;

/** The operations of a stream that {@link spliceSocket} uses. */
export type SplicedStream = Pick<MuxStream, "handle" | "write" | "end" | "reset" | "consumed">;

/**
 * Chunks of at least this length wait for the others of the same turn of the event loop and are written together. TLS delivers large transfers in records of
 * 16 KiB, and a system call for each of them costs more than the copy of its bytes. Shorter chunks are the last or only ones of a message.
 */
const gatherBytesMin = 8 * 1024;

/**
 * Connects a stream with a socket in both directions, with the end of each direction and with backpressure.
 *
 * Bytes count as consumed when the socket has passed them to the operating system. The socket must allow half-open connections, and must not have
 * other readers.
 */
export function spliceSocket(stream: SplicedStream, socket: Socket, onEnd: SpliceEnd = () => undefined): void {
  /** Bytes written to the socket that were not reported as consumed. */
  let pending = 0;
  let isGathering = false;
  /** Ends of both directions: the peer of the stream sends no more, and the program behind the socket sends no more. */
  let isStreamEnded = false;
  let isSocketEnded = false;
  let closeReason: "finished" | "reset" | "session" | undefined;
  let isSocketClosed = false;
  let error: Error | undefined;

  const reportConsumed = (): void => {
    const consumed = pending - socket.writableLength;
    if (consumed <= 0) return;
    pending -= consumed;
    stream.consumed(consumed);
  };

  const finishIfClosed = (): void => {
    if (isSocketClosed && closeReason !== undefined)
      onEnd({ isClean: closeReason === "finished" && error === undefined, error });
  };

  const writeGathered = (): void => {
    isGathering = false;
    socket.uncork();
  };

  stream.handle({
    data: (chunk) => {
      pending += chunk.length;
      if (!isGathering && chunk.length >= gatherBytesMin) {
        isGathering = true;
        socket.cork();
        gather(writeGathered);
      }
      socket.write(chunk, reportConsumed);
    },
    ended: () => {
      isStreamEnded = true;
      socket.end();
    },
    drained: () => socket.resume(),
    closed: (reason) => {
      closeReason = reason;
      // A reset and not an end: the program behind the socket must not take the data for complete.
      if (reason !== "finished") socket.resetAndDestroy();
      finishIfClosed();
    },
  });
  socket.on("data", (chunk: Buffer) => {
    if (!stream.write(chunk)) socket.pause();
  });
  socket.on("end", () => {
    isSocketEnded = true;
    stream.end();
  });
  socket.on("error", (cause) => (error = cause));
  socket.on("close", () => {
    isSocketClosed = true;
    // After both ends the stream may still wait for the window of the peer: a reset would drop what is queued.
    if (!isStreamEnded || !isSocketEnded || error !== undefined) stream.reset();
    finishIfClosed();
  });
}

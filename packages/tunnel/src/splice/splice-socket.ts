import type { Socket } from "node:net";
import type { MuxStream } from "../mux/stream.ts";

/** Called once when a spliced socket and its stream have ended. */
export type SpliceEnd = (end: { readonly isClean: boolean; readonly error: Error | undefined }) => void;

/**
 * Connects a stream with a socket in both directions, with the end of each direction and with backpressure.
 *
 * Bytes count as consumed when the socket has passed them to the operating system. The socket must allow half-open connections, and must not have
 * other readers.
 */
export function spliceSocket(stream: MuxStream, socket: Socket, onEnd: SpliceEnd = () => undefined): void {
  /** Bytes written to the socket that were not reported as consumed. */
  let pending = 0;
  let isStreamClosed = false;
  let error: Error | undefined;

  const reportConsumed = (): void => {
    const consumed = pending - socket.writableLength;
    if (consumed <= 0) return;
    pending -= consumed;
    stream.consumed(consumed);
  };

  stream.handle({
    data: (chunk) => {
      pending += chunk.length;
      socket.write(chunk, reportConsumed);
    },
    ended: () => socket.end(),
    drained: () => socket.resume(),
    closed: (reason) => {
      isStreamClosed = true;
      // A reset and not an end: the program behind the socket must not take the data for complete.
      if (reason !== "finished") socket.resetAndDestroy();
    },
  });
  socket.on("data", (chunk: Buffer) => {
    if (!stream.write(chunk)) socket.pause();
  });
  socket.on("end", () => stream.end());
  socket.on("error", (cause) => (error = cause));
  socket.on("close", () => {
    const isClean = isStreamClosed && error === undefined;
    // Has no effect if both directions have ended.
    stream.reset();
    onEnd({ isClean, error });
  });
}

import type { Clock } from "@homeostat/core";
import { detailOf, formatMessage, type Message, parseMessage, type StreamErrorCode } from "../handshake/messages.ts";
import type { MuxStream } from "../mux/stream.ts";
import { FirstLineStream } from "./first-line-stream.ts";

/** A stream that the peer opened, and that waits for an answer. */
export interface OfferedStream<Header> {
  readonly header: Header;
  /** True if the peer closed the stream meanwhile. */
  readonly isClosed: boolean;
  /** Answers that the destination is connected, and returns the stream. Pass it to `spliceSocket`. */
  connect(): FirstLineStream;
  /** Answers that the destination is not connected, and why. */
  refuse(code: StreamErrorCode, detail?: string): void;
}

/** Options of {@link acceptStream}. */
export interface AcceptStreamOptions<T extends "in" | "out"> {
  readonly clock: Clock;
  /** `in` at the client, whose peer opens connections from the cluster; `out` at the server. */
  readonly expected: T;
  readonly onOffer: (offer: OfferedStream<Extract<Message, { t: T }>>) => void;
  /** Called if the peer sends no valid first line. The stream is reset. */
  readonly onFailed?: (error: Error) => void;
}

/** Time in which the first line of a stream must arrive, in milliseconds. */
const headerMs = 10_000;
/** Time in which the peer must close a stream that was refused, in milliseconds. */
const refusedMs = 5_000;

/** Reads the first line of a stream that the peer opened, and offers the stream to a function that connects or refuses it. */
export function acceptStream<T extends "in" | "out">(
  stream: MuxStream,
  { clock, expected, onOffer, onFailed = () => undefined }: AcceptStreamOptions<T>,
): void {
  const offered = new FirstLineStream({
    clock,
    timeoutMs: headerMs,
    onLine: (line) => {
      const header = parseMessage(line, [expected]);
      onOffer({
        header,
        get isClosed() {
          return offered.isClosed;
        },
        connect: () => {
          offered.write(formatMessage({ t: "ok" }));
          return offered;
        },
        refuse: (code, detail = "") => {
          offered.write(formatMessage({ t: "err", code, detail: detailOf(detail) }));
          discard(offered, clock);
        },
      });
      return true;
    },
    onFailed,
  });
  offered.attach(stream);
}

/** Ends a stream after what was written, and drops what still arrives. A reset would overtake the answer, so it comes only if the peer does not close. */
function discard(stream: FirstLineStream, clock: Clock): void {
  const timer = clock.schedule(refusedMs, () => stream.reset());
  stream.end();
  stream.handle({
    data: (chunk) => stream.consumed(chunk.length),
    ended: () => undefined,
    drained: () => undefined,
    closed: () => timer[Symbol.dispose](),
  });
}

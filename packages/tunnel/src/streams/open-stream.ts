import type { Clock } from "@homeostat/core";
import { type ProtocolError, StreamFailedError } from "../errors.ts";
import { formatMessage, type InboundStream, type OutboundStream, parseMessage } from "../handshake/messages.ts";
import type { Session } from "../mux/session.ts";
import { FirstLineStream } from "./first-line-stream.ts";

/** Options of {@link openStream}. */
export interface OpenStreamOptions {
  readonly clock: Clock;
  /** Time in which the peer must answer; default: 15 s, because the peer connects to the destination meanwhile. */
  readonly timeoutMs?: number;
  /** Called once with the answer of the peer: undefined if the destination is connected. The stream is closed after a failure. */
  readonly onAnswer: (failure: StreamFailedError | undefined) => void;
}

const answerMs = 15_000;

/**
 * Opens a stream with a first line that says what it is for. Throws a `StreamRefusedError` if the session takes no more streams.
 *
 * Data may be written at once, before the answer: a request then costs no further round trip. Data of the peer is passed on after its answer. Pass the
 * returned stream to `spliceSocket`.
 */
export function openStream(
  session: Session,
  header: InboundStream | OutboundStream,
  { clock, timeoutMs = answerMs, onAnswer }: OpenStreamOptions,
): FirstLineStream {
  let isAnswered = false;
  const answer = (failure: StreamFailedError | undefined): void => {
    if (isAnswered) return;
    isAnswered = true;
    onAnswer(failure);
  };
  const opened = new FirstLineStream({
    clock,
    timeoutMs,
    onLine: (line) => {
      const message = parseMessage(line, ["ok", "err"]);
      if (message.t === "ok") {
        answer(undefined);
        return true;
      }
      answer(new StreamFailedError({ reason: message.code, detail: message.detail }));
      opened.reset();
      return false;
    },
    onFailed: (error: ProtocolError) => answer(new StreamFailedError({ reason: "protocol", detail: error.message })),
  });
  const line = formatMessage(header);
  opened.attach(session.open(opened));
  opened.write(line);
  return opened;
}

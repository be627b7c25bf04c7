import type { Clock } from "@homeostat/core";
import { ProtocolError } from "../errors.ts";
import { LineReader } from "../handshake/line-reader.ts";
import { formatMessage, isOtherMessage, type Message, parseMessage } from "../handshake/messages.ts";
import type { MuxStream, StreamHandlers } from "../mux/stream.ts";

/** Messages that may wait to be read. A peer that sends more violates the protocol. */
const waitingMax = 16;

/** A stream on which both ends send messages as lines. */
export class ControlChannel implements StreamHandlers {
  #stream: MuxStream | undefined;
  readonly #reader = new LineReader();
  readonly #waiting: string[] = [];
  #error: Error | undefined;
  #wake: (() => void) | undefined;
  #take: ((line: string) => void) | undefined;

  /** Uses a stream. Call it once, before data arrives. */
  attach(stream: MuxStream): void {
    this.#stream = stream;
    stream.handle(this);
  }

  send(message: Message): void {
    this.#stream?.write(formatMessage(message));
  }

  /**
   * Resolves with the next message. Rejects with a {@link ProtocolError} if it is not an expected one or does not arrive in time, and if the
   * stream ends.
   */
  async next<T extends Message["t"]>(
    expected: readonly T[],
    { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  ): Promise<Extract<Message, { t: T }>> {
    using timer = clock.schedule(timeoutMs, () =>
      this.#fail(new ProtocolError("a message of the handshake did not arrive in time")),
    );
    while (this.#waiting.length === 0) {
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    timer[Symbol.dispose]();
    return parseMessage(this.#waiting.shift() ?? "", expected);
  }

  /**
   * Passes all further messages of the expected types to a function; call it once, after the handshake. Messages of other types are ignored, because newer
   * peers may send some. A line that is not a message, and a function that throws a {@link ProtocolError}, end the channel with `onError`.
   */
  listen<T extends Message["t"]>(
    expected: readonly T[],
    { take, onError }: { take: (message: Extract<Message, { t: T }>) => void; onError: (error: ProtocolError) => void },
  ): void {
    this.#take = (line) => {
      if (this.#error !== undefined) return;
      try {
        if (!isOtherMessage(line, expected)) take(parseMessage(line, expected));
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        this.#fail(error);
        onError(error);
      }
    };
    for (const line of this.#waiting.splice(0)) this.#take(line);
  }

  data(chunk: Buffer): void {
    this.#stream?.consumed(chunk.length);
    try {
      for (let rest = chunk; rest.length > 0;) {
        const read = this.#reader.read(rest);
        if (read === undefined) break;
        if (this.#take === undefined) this.#waiting.push(read.line);
        else this.#take(read.line);
        rest = read.rest;
      }
      if (this.#waiting.length > waitingMax) throw new ProtocolError("the peer sent too many messages at once");
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail(error);
    }
    this.#wake?.();
  }

  ended(): void {
    this.#fail(new ProtocolError("the control stream ended"));
  }

  drained(): void {
    // Messages are small and few: they are never held back.
  }

  closed(): void {
    this.#fail(new ProtocolError("the control stream was closed"));
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }
}

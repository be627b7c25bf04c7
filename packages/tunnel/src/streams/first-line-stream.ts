import type { Clock, Timer } from "@homeostat/core";
import { ProtocolError } from "../errors.ts";
import { LineReader } from "../handshake/line-reader.ts";
import type { MuxStream, StreamHandlers } from "../mux/stream.ts";
import type { SplicedStream } from "../splice/splice-socket.ts";

/** Options of {@link FirstLineStream}. */
export interface FirstLineOptions {
  readonly clock: Clock;
  /** Time in which the line must arrive. */
  readonly timeoutMs: number;
  /** Takes the line. Returns false if the data after it must not be passed on. Throws a {@link ProtocolError} to reset the stream. */
  readonly onLine: (line: string) => boolean;
  /** Called once if the line does not arrive or is not valid. The stream is closed then. */
  readonly onFailed: (error: ProtocolError) => void;
}

/**
 * A stream whose peer sends a line before its data.
 *
 * Data that follows the line is held until {@link FirstLineStream.handle} was called; the window of the stream limits it, because held bytes are not
 * reported as consumed. Afterwards the stream passes data on without this class in between.
 */
export class FirstLineStream implements StreamHandlers, SplicedStream {
  readonly #options: FirstLineOptions;
  readonly #reader = new LineReader();
  #stream: MuxStream | undefined;
  #state: "line" | "data" | "discard" = "line";
  #held: Buffer[] = [];
  #isEnded = false;
  #closeReason: "finished" | "reset" | "session" | undefined;
  #handlers: StreamHandlers | undefined;
  #timer: Timer | undefined;

  constructor(options: FirstLineOptions) {
    this.#options = options;
  }

  /** Uses a stream. Call it once, before data arrives. */
  attach(stream: MuxStream): this {
    this.#stream = stream;
    const { clock, timeoutMs } = this.#options;
    this.#timer = clock.schedule(timeoutMs, () =>
      this.#fail(new ProtocolError("the first line of a stream did not arrive in time")),
    );
    stream.handle(this);
    return this;
  }

  get isClosed(): boolean {
    return this.#closeReason !== undefined;
  }

  /** Sets the receiver of what follows the line. Events that came before are passed to it now. */
  handle(handlers: StreamHandlers): void {
    this.#handlers = handlers;
    this.#pass();
    if (this.#closeReason !== undefined) handlers.closed(this.#closeReason);
  }

  write(chunk: Buffer): boolean {
    return this.#stream?.write(chunk) ?? false;
  }

  end(): void {
    this.#stream?.end();
  }

  reset(): void {
    this.#stream?.reset();
  }

  consumed(bytes: number): void {
    this.#stream?.consumed(bytes);
  }

  data(chunk: Buffer): void {
    if (this.#state === "line") this.#readLine(chunk);
    else if (this.#state === "discard") this.consumed(chunk.length);
    else this.#held.push(chunk);
  }

  ended(): void {
    this.#isEnded = true;
    if (this.#state === "line") this.#fail(new ProtocolError("a stream ended before its first line"));
  }

  drained(): void {
    this.#handlers?.drained();
  }

  closed(reason: "finished" | "reset" | "session"): void {
    this.#closeReason = reason;
    this.#held = [];
    this.#handlers?.closed(reason);
    if (this.#state === "line") this.#fail(new ProtocolError("a stream was closed before its first line"));
  }

  #readLine(chunk: Buffer): void {
    try {
      const read = this.#reader.read(chunk);
      this.consumed(chunk.length - (read?.rest.length ?? 0));
      if (read === undefined) return;
      this.#timer?.[Symbol.dispose]();
      // Set before the call, so that a handler that closes the stream does not count as a missing line.
      this.#state = "data";
      if (!this.#options.onLine(read.line)) this.#state = "discard";
      if (read.rest.length > 0) this.data(read.rest);
      this.#pass();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#state = "line";
      this.#fail(error);
    }
  }

  /** Passes held events on, and leaves the stream to its handlers. */
  #pass(): void {
    if (this.#state !== "data" || this.#handlers === undefined || this.#stream === undefined) return;
    const handlers = this.#handlers;
    this.#stream.handle(handlers);
    const held = this.#held;
    this.#held = [];
    for (const chunk of held) handlers.data(chunk);
    if (this.#isEnded) handlers.ended();
  }

  #fail(error: ProtocolError): void {
    if (this.#state !== "line") return;
    this.#state = "discard";
    this.#timer?.[Symbol.dispose]();
    this.#stream?.reset();
    this.#options.onFailed(error);
  }
}

import { ArgumentError, type Clock, DeadlineError, type Timer } from "@homeostat/core";
import type { Body } from "../transport/transport.ts";

/** The connection side of a {@link ResponseBody}. */
export interface ResponseSource {
  readonly clock: Clock;
  /** The maximum wait for the next piece. It runs only while the reader waits, so that a slow reader does not count as a silent server. */
  readonly idleMs: number;
  /** Pauses or resumes reading from the connection. */
  hold(isHeld: boolean): void;
  /** Closes the connection, because the rest will not be read. */
  abandon(): void;
  /** Returns the error for the reader of a truncated body. */
  broken(cause: unknown): unknown;
}

/** The number of buffered bytes at which reading from the connection is paused (backpressure). */
const waitingBytesMax = 256 * 1024;
/** If less than this is unread when a body is canceled, it is read and discarded, so that the connection can be reused. */
const drainBytesMax = 64 * 1024;
/** The time limit for that: a small body usually has arrived already. */
const drainMsMax = 1000;

/** The body of a response: a buffer between the connection, which pushes pieces, and its single reader. */
export class ResponseBody implements Body {
  readonly #source: ResponseSource;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isHeld = false;
  #isTaken = false;
  /** True if no more bytes will arrive. */
  #isOver = false;
  #isAbandoned = false;
  #failure: { readonly cause: unknown } | undefined;
  #notify: (() => void) | undefined;
  #drained = 0;
  #drainTimer: Timer | undefined;

  constructor(source: ResponseSource) {
    this.#source = source;
  }

  // ── called by the connection ──

  push(piece: Buffer): void {
    if (this.#isAbandoned) {
      this.#drained += piece.length;
      if (this.#drained > drainBytesMax) this.#source.abandon();
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#notifyReader();
    if (!this.#isHeld && this.#bytes > waitingBytesMax) {
      this.#isHeld = true;
      this.#source.hold(true);
    }
  }

  /** Called when the whole body has arrived. */
  finish(): void {
    this.#isOver = true;
    this.#drainTimer?.[Symbol.dispose]();
    this.#notifyReader();
  }

  /** Called when the connection ended before the body was complete. */
  fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.finish();
  }

  // ── called by the reader ──

  takeWhole(): Uint8Array | undefined {
    if (!this.#isOver || this.#isTaken || this.#failure !== undefined) return undefined;
    this.#isTaken = true;
    const [first] = this.#pieces;
    const whole = first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    return whole;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    if (this.#isTaken)
      throw new ArgumentError({ argument: "body", problem: "has already been read; a body can be read once." });
    this.#isTaken = true;
    return {
      next: () => this.#next(),
      return: () => {
        this.#leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  cancel(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    if (this.#isOver) return this.#leave();
    const source = this.#source;
    this.#drained = this.#bytes;
    this.#discard();
    if (this.#drained > drainBytesMax) return source.abandon();
    this.#drainTimer = source.clock.schedule(drainMsMax, () => source.abandon());
    this.#resume();
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#pieces.length === 0 && !this.#isOver && !this.#isAbandoned) await this.#more();
    if (this.#isAbandoned) return { done: true, value: undefined };
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#bytes -= piece.length;
      if (this.#bytes < waitingBytesMax / 2) this.#resume();
      return { done: false, value: piece };
    }
    this.#isAbandoned = true;
    if (this.#failure !== undefined) throw this.#source.broken(this.#failure.cause);
    return { done: true, value: undefined };
  }

  /** Waits until a piece has arrived or the body has ended. */
  async #more(): Promise<void> {
    const source = this.#source;
    const { clock, idleMs } = source;
    const timer =
      idleMs === Infinity
        ? undefined
        : clock.schedule(idleMs, () => {
            this.fail(new DeadlineError(idleMs));
            source.abandon();
          });
    await new Promise<void>((resolve) => {
      this.#notify = resolve;
    });
    timer?.[Symbol.dispose]();
  }

  #leave(): void {
    const isWhole = this.#isOver;
    this.#discard();
    this.#notifyReader();
    if (!isWhole) this.#source.abandon();
  }

  #discard(): void {
    this.#isAbandoned = true;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#source.hold(false);
  }

  #notifyReader(): void {
    const notify = this.#notify;
    this.#notify = undefined;
    notify?.();
  }
}

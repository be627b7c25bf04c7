import { ArgumentError, type Clock, DeadlineError, type Timer } from "@homeostat/core";
import type { Body } from "../transport/transport.ts";

/** What a body is read from. */
export interface AnswerSource {
  readonly clock: Clock;
  /** The longest wait for the next piece. It runs only while somebody waits: a slow reader is not the server's fault. */
  readonly idleMs: number;
  /** Tells the source to hold back, or to go on. */
  hold(isHeld: boolean): void;
  /** Breaks the connection: nobody will read the rest. */
  abandon(): void;
  /** Makes the error for a reader of a body that ended before its end. */
  broken(cause: unknown): unknown;
}

/** As much may wait for the reader before the sender has to. */
const waitingBytesMax = 256 * 1024;
/** An unread rest smaller than this is read to its end, so that the connection can be used again. */
const drainBytesMax = 64 * 1024;
/** What is small is there at once, or not worth waiting for. */
const drainMsMax = 1000;

/** The body of an answer between the connection, which pushes pieces, and the one reader, who takes them. */
export class AnswerBody implements Body {
  readonly #source: AnswerSource;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isHeld = false;
  #isTaken = false;
  /** Whether nothing more will come. */
  #isOver = false;
  #isLeft = false;
  #failure: { readonly cause: unknown } | undefined;
  #wake: (() => void) | undefined;
  #drained = 0;
  #drainTimer: Timer | undefined;

  constructor(source: AnswerSource) {
    this.#source = source;
  }

  // ── the connection's side ──

  push(piece: Buffer): void {
    if (this.#isLeft) {
      this.#drained += piece.length;
      if (this.#drained > drainBytesMax) this.#source.abandon();
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#wakeUp();
    if (!this.#isHeld && this.#bytes > waitingBytesMax) {
      this.#isHeld = true;
      this.#source.hold(true);
    }
  }

  /** Everything has arrived. */
  finish(): void {
    this.#isOver = true;
    this.#drainTimer?.[Symbol.dispose]();
    this.#wakeUp();
  }

  /** Nothing more will arrive, and there should be more. */
  fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.finish();
  }

  // ── the reader's side ──

  takeWhole(): Uint8Array | undefined {
    if (!this.#isOver || this.#isTaken || this.#failure !== undefined) return undefined;
    this.#isTaken = true;
    const [first] = this.#pieces;
    const whole = first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    return whole;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    if (this.#isTaken) throw new ArgumentError({ argument: "body", problem: "has been read; it can be read once." });
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
    this.#forget();
    if (this.#drained > drainBytesMax) return source.abandon();
    this.#drainTimer = source.clock.schedule(drainMsMax, () => source.abandon());
    this.#goOn();
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#pieces.length === 0 && !this.#isOver && !this.#isLeft) await this.#more();
    if (this.#isLeft) return { done: true, value: undefined };
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#bytes -= piece.length;
      if (this.#bytes < waitingBytesMax / 2) this.#goOn();
      return { done: false, value: piece };
    }
    this.#isLeft = true;
    if (this.#failure !== undefined) throw this.#source.broken(this.#failure.cause);
    return { done: true, value: undefined };
  }

  /** Waits until there is a piece, or there will be none. */
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
      this.#wake = resolve;
    });
    timer?.[Symbol.dispose]();
  }

  #leave(): void {
    const isWhole = this.#isOver;
    this.#forget();
    this.#wakeUp();
    if (!isWhole) this.#source.abandon();
  }

  #forget(): void {
    this.#isLeft = true;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#source.hold(false);
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

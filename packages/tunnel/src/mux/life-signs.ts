import type { Clock, Timer } from "@homeostat/core";

/** Options of {@link LifeSigns}. */
export interface LifeSignsOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly missesMax: number;
  /** Sends a ping with a number that the response repeats. */
  readonly ping: (token: number) => void;
  /** Returns the number of bytes that wait to be written. */
  readonly queuedBytes: () => number;
  /** Called once when the connection is dead. */
  readonly dead: (reason: "silent" | "stalled") => void;
}

/**
 * Detects dead connections, such as those of a laptop that sleeps or of a lost NAT entry.
 *
 * A ping is sent every interval, and every received byte is a sign of life. After `missesMax` consecutive intervals without one the connection is dead: with
 * 10 s and 2 misses at most 30 s after the last byte. A connection that takes no byte of what is queued for a whole interval is dead as well; it
 * may still receive.
 */
export class LifeSigns {
  readonly #options: LifeSignsOptions;
  #timer: Timer | undefined;
  #isReceived = true;
  #isFlushed = true;
  #misses = 0;
  #token = 0;
  #sentAt = 0;
  #rttMs: number | undefined;

  constructor(options: LifeSignsOptions) {
    this.#options = options;
  }

  /** Round-trip time of the last pings in milliseconds, smoothed; undefined until it was measured. */
  get rttMs(): number | undefined {
    return this.#rttMs;
  }

  /** Sends the first ping and starts the timer. */
  start(): void {
    this.#ping();
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Sends a ping now. The connection is dead if no byte arrives within a time that is shorter than the interval. */
  verify(timeoutMs: number): void {
    if (this.#timer === undefined) return;
    this.#timer[Symbol.dispose]();
    this.#misses = this.#options.missesMax - 1;
    this.#ping(timeoutMs);
    // A queue needs more time than a ping to move.
    this.#isFlushed = true;
  }

  /** Counts received bytes as a sign of life. */
  received(): void {
    this.#isReceived = true;
  }

  /** Counts written bytes as progress. */
  flushed(): void {
    this.#isFlushed = true;
  }

  /** Takes the response to a ping. Responses to other pings than the last are ignored. */
  pong(token: number): void {
    if (token !== this.#token || this.#sentAt === -1) return;
    const measured = this.#options.clock.monotonic() - this.#sentAt;
    this.#sentAt = -1;
    this.#rttMs = this.#rttMs === undefined ? measured : this.#rttMs * 0.75 + measured * 0.25;
  }

  #ping(timeoutMs = this.#options.intervalMs): void {
    const { clock, ping, queuedBytes } = this.#options;
    this.#isReceived = false;
    this.#isFlushed = queuedBytes() === 0;
    this.#token = (this.#token + 1) >>> 0;
    this.#sentAt = clock.monotonic();
    this.#timer = clock.schedule(timeoutMs, this.#check);
    ping(this.#token);
  }

  readonly #check = (): void => {
    const { missesMax, queuedBytes, dead } = this.#options;
    this.#misses = this.#isReceived ? 0 : this.#misses + 1;
    const isStalled = !this.#isFlushed && queuedBytes() > 0;
    if (this.#misses < missesMax && !isStalled) return this.#ping();
    this.#timer = undefined;
    dead(isStalled ? "stalled" : "silent");
  };
}

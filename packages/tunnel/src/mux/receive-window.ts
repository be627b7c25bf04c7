/** Measures of a session that decide about the growth of windows. */
export interface WindowConditions {
  /** Monotonic time in milliseconds. */
  readonly now: number;
  /** Round-trip time in milliseconds; undefined until it was measured. */
  readonly rttMs: number | undefined;
  /** Maximum size of the window. */
  readonly bytesMax: number;
}

/**
 * The receive window of a stream: the bytes that the peer may still send.
 *
 * Bytes are given back when the destination has consumed them, not when they arrive: a slow destination stops its own stream and no other. The
 * window doubles while the destination consumes half of it in less than two round trips, because then the window and not the destination
 * limits the speed. A connection with a long round-trip time gets a large window that way, and a slow destination keeps a small one.
 */
export class ReceiveWindow {
  /** Bytes that the peer may send at most before it gets an update. */
  #size: number;
  /** Bytes that the peer may still send. */
  #left: number;
  /** Bytes that were consumed and not given back yet. */
  #consumed = 0;
  #updatedAt: number;

  constructor({ bytes, now }: { readonly bytes: number; readonly now: number }) {
    this.#size = bytes;
    this.#left = bytes;
    this.#updatedAt = now;
  }

  /** Size of the window in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Takes received bytes. Returns false if the peer sent more than the window allows. */
  receive(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** Takes bytes that the destination consumed. Reports whether an update is due. */
  consume(bytes: number): boolean {
    this.#consumed += bytes;
    return this.#consumed >= this.#size / 2;
  }

  /** Returns by how much the next window update raises the window of the peer, and counts it as sent. */
  update({ now, rttMs, bytesMax }: WindowConditions): number {
    const isWindowLimiting = rttMs !== undefined && now - this.#updatedAt < 2 * rttMs;
    const growth = isWindowLimiting ? Math.max(0, Math.min(this.#size, bytesMax - this.#size)) : 0;
    const delta = this.#consumed + growth;
    this.#size += growth;
    this.#left += delta;
    this.#consumed = 0;
    this.#updatedAt = now;
    return delta;
  }
}

import type { Carrier, CarrierHandlers } from "../carrier/carrier.ts";

/** Options of {@link memoryCarriers}. */
export interface MemoryCarriersOptions {
  /** Largest number of bytes that arrive at once; default: all. */
  readonly chunkBytes?: number;
}

/** One end of a connection in memory. Bytes arrive in a microtask, unless the end is paused. */
export class MemoryCarrier implements Carrier {
  peer: MemoryCarrier | undefined;
  isDestroyed = false;
  /** True if written bytes are lost on their way, as on a broken network. */
  isLossy = false;
  /** Everything that was written. */
  readonly written: Buffer[] = [];
  #handlers: CarrierHandlers | undefined;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isPaused = false;
  #isScheduled = false;
  #isEnding = false;
  readonly #chunkBytes: number;

  constructor({ chunkBytes = Infinity }: MemoryCarriersOptions = {}) {
    this.#chunkBytes = chunkBytes;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  start(handlers: CarrierHandlers): void {
    this.#handlers = handlers;
  }

  write(bytes: Buffer): void {
    if (this.isDestroyed) return;
    this.written.push(bytes);
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#schedule();
  }

  end(): void {
    this.#isEnding = true;
    this.#schedule();
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.#handlers?.closed(undefined);
    this.peer?.destroy();
  }

  /** Stops or resumes the delivery of what this end writes. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#schedule();
  }

  /** Delivers bytes to this end, as the peer would. */
  receive(bytes: Buffer): void {
    this.#handlers?.bytes(bytes);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (this.#isPaused) return;
    const bytes = Buffer.concat(this.#queue);
    this.#queue = [];
    this.#queuedBytes = 0;
    for (let at = 0; at < bytes.length && this.peer?.isDestroyed === false && !this.isLossy; at += this.#chunkBytes)
      this.peer.receive(bytes.subarray(at, at + Math.min(bytes.length, this.#chunkBytes)));
    if (bytes.length > 0) this.#handlers?.flushed();
    if (this.#isEnding && this.#queue.length === 0) this.destroy();
  }
}

/** Returns both ends of a connection in memory. */
export function memoryCarriers(options: MemoryCarriersOptions = {}): readonly [MemoryCarrier, MemoryCarrier] {
  const first = new MemoryCarrier(options);
  const second = new MemoryCarrier(options);
  first.peer = second;
  second.peer = first;
  return [first, second];
}

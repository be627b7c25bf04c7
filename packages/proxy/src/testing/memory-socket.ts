import { Socket } from "node:net";

/** A socket without a network: a test delivers bytes to it, and reads what was written. */
export class MemorySocket extends Socket {
  readonly written: Buffer[] = [];
  /** While true, writes do not complete, as if the peer did not read. */
  isStalled = false;
  #stalled: (() => void)[] = [];

  override _read(): void {
    // Bytes are pushed by `deliver`.
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.written.push(typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
    if (this.isStalled) this.#stalled.push(() => done());
    else done();
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    for (const { chunk, encoding } of chunks)
      this.written.push(typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
    if (this.isStalled) this.#stalled.push(() => done());
    else done();
  }

  override _final(done: (error?: Error | null) => void): void {
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    done();
    // Sockets emit this event themselves, when their handle is closed.
    setImmediate(() => this.emit("close", false));
  }

  override setNoDelay(): this {
    return this;
  }

  /** Completes the writes that waited. */
  unstall(): void {
    this.isStalled = false;
    const stalled = this.#stalled;
    this.#stalled = [];
    for (const done of stalled) done();
  }

  /** Delivers bytes of the peer. They are overwritten after the call, as a read into a shared buffer does. */
  deliver(bytes: Buffer): void {
    const read = Buffer.from(bytes);
    this.emit("data", read);
    read.fill(0xaa);
  }
}

import type { MuxStream, StreamHandlers } from "../mux/stream.ts";

/** Handlers of a stream that keep what they receive. */
export class StreamRecorder implements StreamHandlers {
  readonly chunks: Buffer[] = [];
  readonly events: string[] = [];
  stream: MuxStream | undefined;
  readonly #consumes: boolean;

  /** With `consumes`, data counts as consumed when it arrives. */
  constructor({ consumes = true }: { readonly consumes?: boolean } = {}) {
    this.#consumes = consumes;
  }

  /** Everything that was received, as text. */
  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  get bytes(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Takes a stream that the peer opened. */
  take(stream: MuxStream): void {
    this.stream = stream;
    stream.handle(this);
  }

  accepted(): void {
    this.events.push("accepted");
  }

  data(chunk: Buffer): void {
    this.chunks.push(chunk);
    if (this.#consumes) this.stream?.consumed(chunk.length);
  }

  ended(): void {
    this.events.push("ended");
  }

  drained(): void {
    this.events.push("drained");
  }

  closed(reason: string): void {
    this.events.push(`closed: ${reason}`);
  }
}

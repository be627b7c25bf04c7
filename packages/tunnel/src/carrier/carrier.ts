/** Receives the events of a {@link Carrier}. */
export interface CarrierHandlers {
  readonly bytes: (chunk: Buffer) => void;
  /** Called when queued bytes were passed on, so that `queuedBytes` is smaller than before. */
  readonly flushed: () => void;
  /** Called once when the connection has ended, by either side or by an error. */
  readonly closed: (error: Error | undefined) => void;
}

/** A connection that carries the frames of a session: TLS, WebSocket, or memory in tests. */
export interface Carrier {
  /** Bytes that were written and not yet passed to the operating system. */
  readonly queuedBytes: number;
  /** Starts to deliver events. Called once. */
  start(handlers: CarrierHandlers): void;
  /** Queues bytes, which the caller must not change afterwards. */
  write(bytes: Buffer): void;
  /** Closes the connection after the queued bytes were sent. */
  end(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

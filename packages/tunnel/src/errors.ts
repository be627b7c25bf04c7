import { type ErrorClass, HomeostatError } from "@homeostat/core";

/** Thrown when the peer of a tunnel violates the protocol. The session ends. */
export class ProtocolError extends HomeostatError {
  readonly code = "TUNNEL_PROTOCOL";

  constructor(problem: string) {
    super(`The peer of the tunnel violated the protocol: ${problem}. Check that both ends have compatible versions.`);
  }

  override get errorClass(): ErrorClass {
    return "unknown";
  }
}

/** Thrown when a stream cannot be opened. */
export class StreamRefusedError extends HomeostatError {
  readonly code = "TUNNEL_STREAM_REFUSED";
  readonly reason: "closed" | "draining" | "limit";

  constructor(reason: "closed" | "draining" | "limit") {
    super(
      {
        closed: "The tunnel is closed. Wait until it is connected again.",
        draining: "The tunnel is about to close and accepts no new streams. Use the connection that replaces it.",
        limit: "The tunnel has its maximum number of streams. Close connections, or wait for some to end.",
      }[reason],
    );
    this.reason = reason;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a tunnel server refuses a machine. */
export class AttachRefusedError extends HomeostatError {
  readonly code = "TUNNEL_ATTACH_REFUSED";
  readonly reason: string;
  readonly #isRetryable: boolean;

  constructor({ reason, retry }: { readonly reason: string; readonly retry: boolean }) {
    super(
      `The tunnel server refused this machine: ${reason}. ${retry ? "Retry later." : "Check the LocalWorkload and the keys that it lists."}`,
    );
    this.reason = reason;
    this.#isRetryable = retry;
  }

  override get retryable(): boolean {
    return this.#isRetryable;
  }
}

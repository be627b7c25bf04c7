import type { ServerRequest } from "./handler.ts";

/** Callbacks for events of the HTTP server. None of them may throw. */
export interface HttpObserver {
  /** Called when a handler throws an error that is not a `StatusError`. The client gets a 500 without details. */
  panicked?(request: Pick<ServerRequest, "method" | "uri" | "auditId">, error: unknown): void;
  /** Called when a response was sent completely, or a stream has ended. `status` is 0 if there was no response. */
  finished?(request: ServerRequest, result: { readonly status: number; readonly ms: number }): void;
  /**
   * Called when received bytes are not a valid request or TLS handshake, or when a connection could not be accepted.
   */
  refused?(problem: string): void;
}

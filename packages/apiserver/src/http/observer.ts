import type { ServerRequest } from "./handler.ts";

/** Is told what an API server's front does. None of its functions may throw. */
export interface HttpObserver {
  /** A handler threw what it should not. The client was told that there was a failure, and nothing of the error. */
  panicked?(request: Pick<ServerRequest, "method" | "uri" | "auditId">, error: unknown): void;
  /** A request was answered whole, or its stream has ended. */
  finished?(request: ServerRequest, result: { readonly status: number; readonly ms: number }): void;
  /** Bytes came in that are no request. */
  refused?(problem: string): void;
}

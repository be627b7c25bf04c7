import { HomeostatError } from "@homeostat/core";

/** The stream of the route server failed: it was refused, it broke, it fell silent, or it sent something that is not an operation. */
export class RouteStreamError extends HomeostatError {
  readonly code = "ROUTE_STREAM";
  /** HTTP status of a refusal; 0 if the server did not refuse. */
  readonly status: number;

  constructor(message: string, { status = 0, cause }: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }

  /** True: the proxy reconnects after every failure. A refusal ends when the token or the permissions are corrected. */
  override get retryable(): boolean {
    return true;
  }
}

import { type ApiRequest, cutText, type ErrorClass, HomeostatError } from "@homeostat/core";

/** The input of a {@link MalformedResponseError}. */
export interface MalformedResponse {
  /** The problem with the response, without a full stop. */
  readonly problem: string;
  readonly request?: ApiRequest | undefined;
}

/**
 * Thrown when a response with a success status is not what an API server sends: not JSON, truncated, or of another kind.
 *
 * The outcome of a write is unknown. A proxy may have sent the response instead of the server.
 */
export class MalformedResponseError extends HomeostatError {
  readonly code = "MALFORMED_ANSWER";
  readonly request: ApiRequest | undefined;
  readonly problem: string;

  constructor({ problem, request }: MalformedResponse, options?: ErrorOptions) {
    const prefix = request === undefined ? "" : `${request.method} ${cutText(request.path, 300)}: `;
    super(
      `${prefix}${problem}. Check that the address is that of an API server, and check proxies in front of it.`,
      options,
    );
    this.request = request;
    this.problem = problem;
  }

  // Retryable, because the next response may come from the server itself; but `unknown`, because it may never.
  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "unknown";
  }
}

/** Thrown when a line of a stream or an item of a list exceeds the limit. Not retryable: it would be as long the next time. */
export class TooLongError extends HomeostatError {
  readonly code = "TOO_LONG";
  readonly bytesMax: number;

  constructor(what: string, bytesMax: number) {
    super(`${what} is longer than ${bytesMax} bytes. Raise the limit, or check what the server sends.`);
    this.bytesMax = bytesMax;
  }
}

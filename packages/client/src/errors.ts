import { type ApiRequest, cutText, type ErrorClass, HomeostatError } from "@homeostat/core";

/** What a {@link MalformedAnswerError} is made of. */
export interface MalformedAnswer {
  /** What is wrong with the answer, without a full stop. */
  readonly problem: string;
  readonly request?: ApiRequest | undefined;
}

/**
 * Thrown when an answer that claims success is not what an API server sends: not JSON, cut off, another kind.
 *
 * What became of a write is not known. Something on the way may have answered in the server's place.
 */
export class MalformedAnswerError extends HomeostatError {
  readonly code = "MALFORMED_ANSWER";
  readonly request: ApiRequest | undefined;
  readonly problem: string;

  constructor({ problem, request }: MalformedAnswer, options?: ErrorOptions) {
    const place = request === undefined ? "" : `${request.method} ${cutText(request.path, 300)}: `;
    super(`${place}${problem}. Check that the address is an API server's, and what stands before it.`, options);
    this.request = request;
    this.problem = problem;
  }

  // The next answer may come from the server itself; but if it stays, somebody has to look.
  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "unknown";
  }
}

/** Thrown when a line of a stream, or an item of a list, grows past the limit. It will be as long the next time. */
export class TooLongError extends HomeostatError {
  readonly code = "TOO_LONG";
  readonly bytesMax: number;

  constructor(what: string, bytesMax: number) {
    super(`${what} is longer than ${bytesMax} bytes. Allow more, or look at what it is.`);
    this.bytesMax = bytesMax;
  }
}

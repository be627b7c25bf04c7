import { cutText } from "../value/text.ts";
import type { ApiRequest } from "./api-error.ts";
import { type ErrorClass, HomeostatError } from "./error.ts";
import type { FailureRow, WriteOutcome } from "./failure-row.ts";
import { rowOfSocketCode } from "./socket-table.ts";

/** What a {@link NetworkError} is made of. */
export interface NetworkFailure {
  /** The code of the socket's error: `"ECONNRESET"`. Found in the cause when it is left out. */
  readonly socketCode?: string | undefined;
  readonly request?: ApiRequest | undefined;
  /** Whether any part of the request was sent. Leave it out when that is not known. */
  readonly requestSent?: boolean | undefined;
}

const unlisted: FailureRow = {
  errorClass: "unknown",
  outcome: "unknown",
  meaning: "the connection failed",
  advice: "If this was a write, look at the live object before trying again.",
};

/**
 * Thrown when no answer came: the connection could not be made, or broke.
 *
 * Whether a retry can help, and whether a write may have taken effect, follows from the table of socket codes.
 */
export class NetworkError extends HomeostatError {
  readonly code = "NETWORK";
  /** The code of the socket's error, such as `ECONNRESET`; `undefined` when there was none. */
  readonly socketCode: string | undefined;
  readonly request: ApiRequest | undefined;
  /** Whether any part of the request was sent; `undefined` when that is not known. */
  readonly requestSent: boolean | undefined;
  /** What became of the request if it was a write. */
  readonly outcome: WriteOutcome;
  readonly #class: ErrorClass;

  constructor({ socketCode, request, requestSent }: NetworkFailure, options?: ErrorOptions) {
    const code = socketCode ?? socketCodeOf(options?.cause);
    const row = (code === undefined ? undefined : rowOfSocketCode(code)) ?? unlisted;
    const place = request === undefined ? "" : `${request.method} ${cutText(request.path, 300)}: `;
    super(`${place}${row.meaning}${code === undefined ? "" : ` (${cutText(code, 60)})`}. ${row.advice}`, options);
    this.socketCode = code;
    this.request = request;
    this.requestSent = requestSent;
    this.outcome = requestSent === false ? "not-applied" : row.outcome;
    this.#class = row.errorClass;
  }

  override get errorClass(): ErrorClass {
    return this.#class;
  }

  override get retryable(): boolean {
    return this.#class !== "terminal";
  }
}

/** The first code in a chain of causes that says something about a connection. */
export function socketCodeOf(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 32 && typeof current === "object" && current !== null; depth += 1) {
    if ("code" in current && typeof current.code === "string" && rowOfSocketCode(current.code) !== undefined) {
      return current.code;
    }
    // When several addresses were tried, the last of them is as good as any.
    if ("errors" in current && Array.isArray(current.errors)) current = current.errors.at(-1);
    else current = "cause" in current ? current.cause : undefined;
  }
  return undefined;
}

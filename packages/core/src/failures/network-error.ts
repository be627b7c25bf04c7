import { cutText } from "../value/text.ts";
import type { ApiRequest } from "./api-error.ts";
import { type ErrorClass, HomeostatError } from "../errors/error.ts";
import type { FailureRow, WriteOutcome } from "./failure-row.ts";
import { rowOfSocketCode } from "./socket-table.ts";

/** The input of a {@link NetworkError}. */
export interface NetworkFailure {
  /** The code of the socket error: `"ECONNRESET"`. Default: taken from the cause. */
  readonly socketCode?: string | undefined;
  readonly request?: ApiRequest | undefined;
  /** False if no byte of the request was sent; undefined if unknown. */
  readonly requestSent?: boolean | undefined;
}

const unlisted: FailureRow = {
  errorClass: "unknown",
  outcome: "unknown",
  meaning: "the connection failed",
  advice: "If this was a write, check the live object before retrying.",
};

/**
 * Thrown when there is no response: the connection could not be established, or it broke.
 *
 * Whether a retry can help and whether a write may have taken effect is looked up in the table of socket codes.
 */
export class NetworkError extends HomeostatError {
  readonly code = "NETWORK";
  /** The code of the socket error, such as `ECONNRESET`; undefined if there is none. */
  readonly socketCode: string | undefined;
  readonly request: ApiRequest | undefined;
  /** False if no byte of the request was sent; undefined if unknown. */
  readonly requestSent: boolean | undefined;
  /** The outcome of the request if it was a write. */
  readonly outcome: WriteOutcome;
  readonly #class: ErrorClass;

  constructor({ socketCode, request, requestSent }: NetworkFailure, options?: ErrorOptions) {
    const code = socketCode ?? socketCodeOf(options?.cause);
    const row = (code === undefined ? undefined : rowOfSocketCode(code)) ?? unlisted;
    const prefix = request === undefined ? "" : `${request.method} ${cutText(request.path, 300)}: `;
    super(`${prefix}${row.meaning}${code === undefined ? "" : ` (${cutText(code, 60)})`}. ${row.advice}`, options);
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

/** Returns the first code in a chain of causes that is a known socket code. */
export function socketCodeOf(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 32 && typeof current === "object" && current !== null; depth += 1) {
    if ("code" in current && typeof current.code === "string" && rowOfSocketCode(current.code) !== undefined) {
      return current.code;
    }
    // If several addresses were tried, use the error of the last one.
    if ("errors" in current && Array.isArray(current.errors)) current = current.errors.at(-1);
    else current = "cause" in current ? current.cause : undefined;
  }
  return undefined;
}

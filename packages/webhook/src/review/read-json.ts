import { JsonLimitError, ParseError, parseBoundedJson } from "@homeostat/core";
import { ReviewError, ReviewTooLargeError } from "../errors.ts";
import { depthMax } from "./limits.ts";

/** Options of {@link readJson}. */
export interface ReadJsonOptions {
  /** Name of the document in messages: `the review`. */
  readonly what: string;
  readonly valuesMax: number;
  readonly bytesMax?: number | undefined;
}

/**
 * Parses untrusted bytes as JSON.
 *
 * Throws a {@link ReviewTooLargeError} if they exceed a limit, which a scan finds before anything is parsed, and a
 * {@link ReviewError} if they are not JSON.
 */
export function readJson(bytes: Uint8Array, { what, valuesMax, bytesMax = bytes.length }: ReadJsonOptions): unknown {
  try {
    return parseBoundedJson(bytes, { what, bytesMax, depthMax, valuesMax });
  } catch (cause) {
    if (cause instanceof JsonLimitError) throw new ReviewTooLargeError(cause);
    if (cause instanceof ParseError) throw new ReviewError(`${what} is not JSON in UTF-8`, { cause });
    throw cause;
  }
}

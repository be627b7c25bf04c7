import { HomeostatError } from "./error.ts";

/** A limit that a JSON document exceeded. */
export type JsonLimit = "bytes" | "depth" | "values" | "keys" | "distinctKeys";

/** Describes a {@link JsonLimitError}. */
export interface JsonLimitFailure {
  /** The document, as users know it: `"response of /stats/requests"`. */
  readonly what: string;
  readonly limit: JsonLimit;
  readonly max: number;
}

const units: Readonly<Record<JsonLimit, string>> = {
  bytes: "bytes",
  depth: "levels of nesting",
  values: "values",
  keys: "keys",
  distinctKeys: "different keys",
};

/**
 * Thrown when a JSON document from an untrusted peer exceeds a limit on size, nesting, values or keys.
 *
 * The document was not parsed. The same document fails again, so the error is not retryable.
 */
export class JsonLimitError extends HomeostatError {
  readonly code = "JSON_LIMIT";
  readonly what: string;
  readonly limit: JsonLimit;
  readonly max: number;

  constructor({ what, limit, max }: JsonLimitFailure, options?: ErrorOptions) {
    super(`${what} exceeds the limit of ${max} ${units[limit]} of JSON. Send a smaller document.`, options);
    this.what = what;
    this.limit = limit;
    this.max = max;
  }
}

import type { RequestCredentials } from "../credentials/credentials.ts";
import type { Request } from "../transport/transport.ts";
import { formatHeaders, type Headers } from "./request-head.ts";

/** The maximum number of cached prefixes. */
const prefixesMax = 64;

/**
 * A cache of formatted request headers.
 *
 * Nearly all requests have the same few headers: accept, content type and authorization. These are formatted once.
 */
export class HeaderCache {
  readonly #fixed: Headers;
  readonly #prefixes = new Map<string, string>();
  #plainId: string | undefined;

  /** @param fixed The headers of every request of the client. */
  constructor(fixed: Headers) {
    this.#fixed = fixed;
  }

  /** Formats the headers of a request, in ASCII. Returns undefined if it has other headers than the usual ones. */
  format({ method, headers = {}, body }: Request, { authorization = "" }: RequestCredentials): string | undefined {
    if ("accept-encoding" in this.#fixed) return undefined;
    let accept = "application/json";
    let contentType = "";
    let audit = "";
    for (const name of Object.keys(headers)) {
      const value = headers[name];
      if (typeof value !== "string") return undefined;
      if (name === "accept") accept = value;
      else if (name === "content-type") contentType = value;
      else if (name === "audit-id" && this.#isPlain(value)) audit = `audit-id: ${value}\r\n`;
      else return undefined;
    }
    const prefix = this.#prefix(accept, contentType, authorization);
    if (prefix === undefined) return undefined;
    if (body === undefined) return method === "GET" ? prefix + audit : `${prefix}${audit}content-length: 0\r\n`;
    return `${prefix}${audit}content-length: ${Buffer.byteLength(body)}\r\n`;
  }

  /** Reports whether an audit ID can be written unchanged. The requests of one reconcile share an ID, which is checked once. */
  #isPlain(id: string): boolean {
    if (id === this.#plainId) return true;
    if (!/^[\w-]+$/.test(id)) return false;
    this.#plainId = id;
    return true;
  }

  #prefix(accept: string, contentType: string, authorization: string): string | undefined {
    const key = `${accept}\n${contentType}\n${authorization}`;
    const known = this.#prefixes.get(key);
    if (known !== undefined) return known;
    let formatted: string;
    try {
      formatted = formatHeaders({
        accept,
        ...this.#fixed,
        ...(contentType === "" ? {} : { "content-type": contentType }),
        ...(authorization === "" ? {} : { authorization }),
        // Without this header a server may choose any encoding (RFC 9110, section 12.5.3).
        "accept-encoding": "identity",
      });
    } catch {
      // The general path formats the headers again and reports the problem.
      return undefined;
    }
    if (/[\x80-\xff]/.test(formatted)) return undefined;
    if (this.#prefixes.size >= prefixesMax) this.#prefixes.clear();
    this.#prefixes.set(key, formatted);
    return formatted;
  }
}

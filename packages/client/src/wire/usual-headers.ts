import type { Proof } from "../credentials/credentials.ts";
import type { Request } from "../transport/transport.ts";
import { formatHeaders, type Headers } from "./request-head.ts";

/** More beginnings than this are not kept. */
const beginningsMax = 64;

/**
 * The headers of the requests that a client sends all the time, as they are written.
 *
 * Nearly all say the same few things: what they accept, what they send, and who they are. That much is written once.
 */
export class UsualHeaders {
  readonly #fixed: Headers;
  readonly #beginnings = new Map<string, string>();
  #plainId: string | undefined;

  /** @param fixed What every request of the client says. */
  constructor(fixed: Headers) {
    this.#fixed = fixed;
  }

  /** The lines of a request's headers, in ASCII; undefined for one that says anything unusual. */
  linesOf({ method, headers = {}, body }: Request, { authorization = "" }: Proof): string | undefined {
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
    const beginning = this.#beginning(accept, contentType, authorization);
    if (beginning === undefined) return undefined;
    if (body === undefined) return method === "GET" ? beginning + audit : `${beginning}${audit}content-length: 0\r\n`;
    return `${beginning}${audit}content-length: ${Buffer.byteLength(body)}\r\n`;
  }

  /** Whether an id can be written as it is. The requests of one piece of work share one. */
  #isPlain(id: string): boolean {
    if (id === this.#plainId) return true;
    if (!/^[\w-]+$/.test(id)) return false;
    this.#plainId = id;
    return true;
  }

  #beginning(accept: string, contentType: string, authorization: string): string | undefined {
    const key = `${accept}\n${contentType}\n${authorization}`;
    const known = this.#beginnings.get(key);
    if (known !== undefined) return known;
    let made: string;
    try {
      made = formatHeaders({
        accept,
        ...this.#fixed,
        ...(contentType === "" ? {} : { "content-type": contentType }),
        ...(authorization === "" ? {} : { authorization }),
        // Without this a server may pack what it likes.
        "accept-encoding": "identity",
      });
    } catch {
      // What is wrong with it is said where the others are written.
      return undefined;
    }
    if (/[\x80-\xff]/.test(made)) return undefined;
    if (this.#beginnings.size >= beginningsMax) this.#beginnings.clear();
    this.#beginnings.set(key, made);
    return made;
  }
}

import { code, isValueCode } from "./codes.ts";
import { HeaderFields } from "./header-fields.ts";
import { type Framing, framing, listHas, readFraming, type StatedFraming } from "./message-framing.ts";

/** Fields of a response that belong to the connection with the upstream (RFC 9110, 7.6.1). */
const connectionFields = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
];

/** Fields that `connection` cannot have removed. */
const kept: ReadonlySet<string> = new Set(["content-length", "date", "set-cookie", "trailer"]);

/** The head of a response. One object serves all responses of a connection. */
export class ResponseHead implements StatedFraming {
  readonly headers: HeaderFields = new HeaderFields();
  status = 0;
  reason = "";
  isChunked = false;
  contentLength = -1;
  /** True if the upstream closes the connection after the response. */
  isLast = false;
  #connection: string | readonly string[] | undefined;

  /** Reads a head: its lines, each with CR LF, without the empty line after them. Returns false if it is malformed or ambiguous. */
  parse(text: string, fieldsMax: number): boolean {
    const isOld = text.startsWith("HTTP/1.0 ");
    if (!isOld && !text.startsWith("HTTP/1.1 ")) return false;
    this.status = statusAt(text, 9);
    let lineEnd = 12;
    // The space after the status is missing in the responses of some servers if there is no reason.
    if (text.charCodeAt(lineEnd) === code.space) while (isValueCode[text.charCodeAt(lineEnd)] === 1) lineEnd += 1;
    if (this.status === 0 || text.charCodeAt(lineEnd) !== code.cr || text.charCodeAt(lineEnd + 1) !== code.lf)
      return false;
    this.reason = text.slice(13, lineEnd);
    if (this.headers.parse(text, lineEnd + 2, fieldsMax) !== undefined) return false;
    if (!readFraming(this.headers, this) || (isOld && this.isChunked)) return false;
    this.#connection = this.headers.get("connection");
    this.isLast = isOld ? !listHas(this.#connection, "keep-alive") : listHas(this.#connection, "close");
    return true;
  }

  /** Returns the framing of the body of this response to a request with a method. */
  framingFor(method: string): Framing {
    const { status } = this;
    if (method === "HEAD" || status < 200 || status === 204 || status === 304) return framing.none;
    if (this.isChunked) return framing.chunked;
    if (this.contentLength === -1) return framing.untilClose;
    return this.contentLength === 0 ? framing.none : framing.length;
  }

  /** Drops the fields of the connection with the upstream. */
  dropConnectionFields(): void {
    const { headers } = this;
    if (this.#connection !== undefined) {
      const named = typeof this.#connection === "string" ? this.#connection : this.#connection.join(",");
      for (const each of named.split(",")) {
        const name = each.trim().toLowerCase();
        if (!kept.has(name)) headers.drop(name);
      }
    }
    for (const name of connectionFields) headers.drop(name);
    // A response without a body by its status must not announce one.
    if (this.status === 204 || this.status < 200) headers.drop("content-length");
  }
}

/** Returns the status of three digits at an offset, from 100 to 599; 0 if there is none. */
function statusAt(text: string, at: number): number {
  const hundreds = text.charCodeAt(at) - 0x30;
  const tens = text.charCodeAt(at + 1) - 0x30;
  const ones = text.charCodeAt(at + 2) - 0x30;
  const isStatus = hundreds >= 1 && hundreds <= 5 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
  return isStatus ? hundreds * 100 + tens * 10 + ones : 0;
}

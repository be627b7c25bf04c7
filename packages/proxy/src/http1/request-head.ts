import type { IncomingRequest } from "../router/route-plan.ts";
import { code, isHostCode, isTargetCode, isTokenCode } from "./codes.ts";
import { HeaderFields } from "./header-fields.ts";
import { listHas, readFraming, type StatedFraming } from "./message-framing.ts";

/** Reason for which a request is refused, with the status of the response. The connection is closed after it. */
export interface RequestProblem {
  readonly status: number;
  readonly text: string;
}

/** Problems of request heads. */
export const requestProblems: Readonly<
  Record<
    "line" | "target" | "connect" | "version" | "fields" | "tooManyFields" | "tooLarge" | "framing" | "host" | "body",
    RequestProblem
  >
> = {
  line: { status: 400, text: "The request line is malformed." },
  target: { status: 400, text: "The request target is malformed." },
  connect: { status: 501, text: "CONNECT is not supported." },
  version: { status: 505, text: "The HTTP version is not supported." },
  fields: { status: 400, text: "A header field is malformed." },
  tooManyFields: { status: 431, text: "The request has too many header fields." },
  tooLarge: { status: 431, text: "The request head is too large." },
  framing: { status: 400, text: "The length of the request body is ambiguous." },
  host: { status: 400, text: "The request needs exactly one valid Host header." },
  body: { status: 400, text: "The request body is malformed." },
};

/** Protocols of `upgrade` that are not forwarded: they would turn the connection into one whose requests the proxy cannot see. */
const hiddenProtocols = /^\s*(?:h2c|http|tls)\b/i;

/** The head of a request. One object serves all requests of a connection; its values are those of the last head. */
export class RequestHead implements IncomingRequest, StatedFraming {
  readonly protocol = "http1";
  /** gRPC needs HTTP/2. */
  readonly isGrpc = false;
  readonly headers: HeaderFields = new HeaderFields();
  readonly scheme: "http" | "https";
  readonly clientAddress: string | undefined;
  method = "";
  path = "";
  authority: string | undefined;
  isUpgrade = false;
  isChunked = false;
  contentLength = -1;
  /** True for a request of HTTP/1.0. */
  isOld = false;
  /** True if the client closes the connection after the response. */
  isLast = false;

  constructor(scheme: "http" | "https", clientAddress: string | undefined) {
    this.scheme = scheme;
    this.clientAddress = clientAddress;
  }

  /** Reads a head: its lines, each with CR LF, without the empty line after them. Returns the reason if it is refused. */
  parse(text: string, fieldsMax: number): RequestProblem | undefined {
    let at = 0;
    while (isTokenCode[text.charCodeAt(at)] === 1) at += 1;
    if (at === 0 || text.charCodeAt(at) !== code.space) return requestProblems.line;
    this.method = text.slice(0, at);
    const targetStart = at + 1;
    at = targetStart;
    while (isTargetCode[text.charCodeAt(at)] === 1) at += 1;
    if (at === targetStart || text.charCodeAt(at) !== code.space) return requestProblems.line;
    this.path = text.slice(targetStart, at);
    if (text.startsWith("HTTP/1.1\r\n", at + 1)) this.isOld = false;
    else if (text.startsWith("HTTP/1.0\r\n", at + 1)) this.isOld = true;
    else return /^HTTP\/\d\.\d\r\n/.test(text.slice(at + 1, at + 11)) ? requestProblems.version : requestProblems.line;
    const problem = this.headers.parse(text, at + 11, fieldsMax);
    if (problem !== undefined) return problem === "malformed" ? requestProblems.fields : requestProblems.tooManyFields;
    return this.#check();
  }

  #check(): RequestProblem | undefined {
    const { headers } = this;
    if (!readFraming(headers, this) || (this.isOld && this.isChunked)) return requestProblems.framing;
    const host = headers.find("host");
    this.authority = host === -1 ? undefined : headers.value(host);
    if (host === -1 ? !this.isOld : headers.find("host", host + 1) !== -1) return requestProblems.host;
    if (host !== -1 && !headers.isMadeOf(host, isHostCode)) return requestProblems.host;
    if (this.path.charCodeAt(0) !== 0x2f) {
      const target = this.#checkTarget();
      if (target !== undefined) return target;
    }
    const connection = headers.get("connection");
    this.isLast = this.isOld || listHas(connection, "close");
    this.isUpgrade =
      connection !== undefined &&
      !this.isOld &&
      listHas(connection, "upgrade") &&
      isForwardedUpgrade(headers.get("upgrade"));
    return undefined;
  }

  /** Accepts the other forms of a target: `*` of OPTIONS, and the absolute form if it agrees with `host`. */
  #checkTarget(): RequestProblem | undefined {
    if (this.method === "CONNECT") return requestProblems.connect;
    if (this.path === "*") return this.method === "OPTIONS" ? undefined : requestProblems.target;
    const absolute = /^https?:\/\/([^/?#]+)(.*)$/is.exec(this.path);
    if (absolute === null) return requestProblems.target;
    const [, authority = "", rest = ""] = absolute;
    if (authority.toLowerCase() !== this.authority?.toLowerCase()) return requestProblems.host;
    this.path = rest.startsWith("/") ? rest : `/${rest}`;
    return undefined;
  }
}

/** Reports whether a request with this value of `upgrade` asks for a switch that is forwarded. */
export function isForwardedUpgrade(upgrade: string | readonly string[] | undefined): boolean {
  if (upgrade === undefined) return false;
  const protocols = typeof upgrade === "string" ? upgrade.split(",") : upgrade.flatMap((each) => each.split(","));
  return !protocols.some((protocol) => hiddenProtocols.test(protocol));
}

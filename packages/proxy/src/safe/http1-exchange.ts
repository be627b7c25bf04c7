import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import { headerSource } from "@homeostat/routing";
import { isGrpcType } from "../http2/request-head.ts";
import type { IncomingRequest } from "../router/route-plan.ts";
import { connectionFields, type Exchange, type Fields, headersOf, pairsOf, type SafeHead } from "./exchange.ts";

/** A request of HTTP/1.1 on Node's server. */
export class Http1Exchange implements Exchange {
  readonly request: IncomingRequest;
  readonly fields: Fields;
  readonly hasBody: boolean;
  readonly body: Readable;
  readonly connectProtocol: string | undefined = undefined;
  readonly share: undefined = undefined;
  readonly gone: AbortSignal;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  #trailers: Fields = [];

  constructor(message: IncomingMessage, response: ServerResponse, { scheme }: { readonly scheme: "http" | "https" }) {
    this.#message = message;
    this.#response = response;
    this.fields = pairsOf(message.rawHeaders);
    this.request = http1Request(message, this.fields, { scheme, isUpgrade: false });
    this.hasBody =
      message.headers["transfer-encoding"] !== undefined || Number(message.headers["content-length"] ?? 0) > 0;
    this.body = message;
    const gone = new AbortController();
    this.gone = gone.signal;
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    // The close event of the response follows.
    message.on("error", () => undefined);
    response.on("error", () => undefined);
  }

  trailers(): Fields {
    return pairsOf(this.#message.rawTrailers);
  }

  inform({ status, fields }: SafeHead): void {
    if (status === 100) this.#response.writeContinue();
    else if (status === 103) this.#response.writeEarlyHints(headersOf(fields));
  }

  respond({ status, fields }: SafeHead, { isEnd }: { readonly isEnd: boolean }): Writable | undefined {
    const own = fields.filter(([name]) => !connectionFields.has(name));
    for (const [name, value] of Object.entries(headersOf(own))) this.#response.setHeader(name, value);
    this.#response.writeHead(status);
    if (!isEnd) return this.#response;
    this.#response.end();
    return undefined;
  }

  setTrailers(fields: Fields): void {
    this.#trailers = fields;
    this.#response.addTrailers(this.#trailers.map(([name, value]): [string, string] => [name, value]));
  }

  reset(): void {
    this.#response.destroy();
  }
}

/** Returns the request of a message. */
export function http1Request(
  message: IncomingMessage,
  fields: Fields,
  { scheme, isUpgrade }: Pick<IncomingRequest, "scheme" | "isUpgrade">,
): IncomingRequest {
  return {
    protocol: "http1",
    scheme,
    method: message.method ?? "GET",
    path: message.url ?? "/",
    headers: headerSource(fields),
    authority: message.headers.host,
    isUpgrade,
    isGrpc: isGrpcType(message.headers["content-type"] ?? ""),
    clientAddress: message.socket.remoteAddress?.replace(/^::ffff:/, ""),
  };
}

import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Readable, Writable } from "node:stream";
import { headerSource } from "@homeostat/routing";
import type { ClientShare } from "../limits/client-share.ts";
import { isGrpcType } from "../http2/request-head.ts";
import type { IncomingRequest } from "../router/route-plan.ts";
import { connectionFields, type Exchange, type Fields, headersOf, pairsOf, type SafeHead } from "./exchange.ts";

/** A request of HTTP/2 on Node's server. */
export class Http2Exchange implements Exchange {
  readonly request: IncomingRequest;
  readonly fields: Fields;
  readonly hasBody: boolean;
  readonly body: Readable;
  readonly connectProtocol: string | undefined;
  readonly share: ClientShare;
  readonly gone: AbortSignal;
  readonly #stream: ServerHttp2Stream;
  #requestTrailers: Fields = [];
  #trailers: Fields = [];

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    options: {
      readonly rawHeaders: readonly string[];
      readonly scheme: "http" | "https";
      readonly share: ClientShare;
    },
  ) {
    this.share = options.share;
    this.#stream = stream;
    this.body = stream;
    this.fields = pairsOf(options.rawHeaders).filter(([name]) => !name.startsWith(":"));
    const protocol = headers[":protocol"];
    this.connectProtocol = typeof protocol === "string" ? protocol : undefined;
    this.hasBody = !stream.endAfterHeaders;
    this.request = {
      protocol: "http2",
      scheme: options.scheme,
      method: headers[":method"] ?? "GET",
      path: headers[":path"] ?? "",
      headers: headerSource(this.fields),
      authority: headers[":authority"] ?? headers.host,
      isUpgrade: this.connectProtocol !== undefined,
      isGrpc: isGrpcType(headers["content-type"] ?? ""),
      clientAddress: stream.session?.socket.remoteAddress?.replace(/^::ffff:/, ""),
    };
    const gone = new AbortController();
    this.gone = gone.signal;
    stream.on("trailers", (_trailers: IncomingHttpHeaders, _flags: number, raw?: readonly string[]) => {
      this.#requestTrailers = pairsOf(raw ?? []);
    });
    // Before other listeners: streams that are connected to this one must see the abort first.
    stream.on("aborted", () => gone.abort());
    // The close event follows.
    stream.on("error", () => undefined);
    stream.on("close", () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.writableFinished) gone.abort();
    });
  }

  trailers(): Fields {
    return this.#requestTrailers;
  }

  inform({ status, fields }: SafeHead): void {
    if (this.#stream.headersSent || this.#stream.destroyed) return;
    this.#stream.additionalHeaders({ ":status": status, ...headersOf(fields.filter(isForwarded)) });
  }

  respond({ status, fields }: SafeHead, { isEnd }: { readonly isEnd: boolean }): Writable | undefined {
    const stream = this.#stream;
    if (stream.destroyed) return undefined;
    const headers = { ":status": status, ...headersOf(fields.filter(isForwarded)) };
    stream.respond(headers, { endStream: isEnd, waitForTrailers: !isEnd });
    if (isEnd) {
      // A request whose end was in its head is complete, although nothing has read it.
      if (this.hasBody && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
      return undefined;
    }
    // Without trailers, Node sends an empty DATA frame with END_STREAM.
    stream.on("wantTrailers", () => stream.sendTrailers(headersOf(this.#trailers.filter(isForwarded))));
    return stream;
  }

  setTrailers(fields: Fields): void {
    this.#trailers = fields;
  }

  reset(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

function isForwarded([name]: readonly [string, string]): boolean {
  return !connectionFields.has(name);
}

import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import type { Readable } from "node:stream";
import type { ProxyLimits } from "../limits/limits.ts";
import type { HttpProtocol } from "../router/route-plan.ts";
import { connectionFields, type Fields, headersOf, pairsOf, type SafeHead } from "./exchange.ts";

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly target: string;
  readonly protocol: HttpProtocol;
  readonly method: string;
  readonly path: string;
  readonly authority: string | undefined;
  readonly connectProtocol: string | undefined;
  readonly fields: Fields;
  readonly hasBody: boolean;
  readonly body: Readable;
  readonly trailers: () => Fields;
  readonly signal: AbortSignal;
  readonly inform: (head: SafeHead) => void;
}

/** A response of an upstream. */
export interface UpstreamResponse {
  /** True if the head of HTTP/2 ends the stream. gRPC tells an error without messages by it, so the proxy must end the stream in the same way. */
  readonly isEnd: boolean;
  readonly head: SafeHead;
  readonly body: Readable;
  /** Returns the trailers, once the body has ended. */
  readonly trailers: () => Fields;
}

/** An upstream could not be reached: nothing of the request was processed. */
export class UnreachableError extends Error {}

/** Thrown for an extended CONNECT to an upstream that does not announce it. */
export class NoExtendedConnectError extends Error {}

/** Connections to upstreams on Node's own modules. */
export class SafeUpstreams {
  readonly #agent: Agent;
  readonly #limits: ProxyLimits;
  readonly #sessions = new Map<string, ClientHttp2Session>();

  constructor(limits: ProxyLimits) {
    this.#limits = limits;
    this.#agent = new Agent({ keepAlive: true, maxFreeSockets: limits.idleUpstreamsMax });
  }

  /** Sends a request. Resolves to the response when its head has arrived. */
  async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    return request.protocol === "http1" ? this.#sendHttp1(request) : this.#sendHttp2(request);
  }

  /** Closes connections to other addresses: idle ones at once, others after their requests. */
  retain(addresses: ReadonlySet<string>): void {
    for (const [target, session] of this.#sessions) {
      if (addresses.has(target)) continue;
      this.#sessions.delete(target);
      session.close();
    }
    for (const sockets of Object.values(this.#agent.freeSockets))
      for (const socket of sockets ?? []) {
        const host = socket.remoteFamily === "IPv6" ? `[${socket.remoteAddress}]` : socket.remoteAddress;
        if (!addresses.has(`${host}:${socket.remotePort}`)) socket.destroy();
      }
  }

  close(): void {
    this.#agent.destroy();
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }

  async #sendHttp1(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { hasBody, method, path, fields, authority, signal } = request;
    const headers = headersOf(fields.filter(([name]) => !connectionFields.has(name)));
    headers["host"] ??= authority ?? request.target;
    if (hasBody && headers["content-length"] === undefined) headers["transfer-encoding"] = "chunked";
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const outgoing = httpRequest({
        ...addressOf(request.target),
        agent: this.#agent,
        method,
        path,
        headers,
        signal,
        maxHeaderSize: this.#limits.headBytesMax,
      });
      outgoing.on("socket", (socket) => {
        if (socket.connecting) socket.once("connect", () => (isConnected = true));
        else isConnected = true;
      });
      outgoing.on("information", ({ statusCode, rawHeaders }) =>
        request.inform({ status: statusCode, fields: pairsOf(rawHeaders) }),
      );
      outgoing.on("response", (message: IncomingMessage) =>
        resolve({
          head: { status: message.statusCode ?? 502, fields: pairsOf(message.rawHeaders) },
          isEnd: false,
          body: message,
          trailers: () => pairsOf(message.rawTrailers),
        }),
      );
      outgoing.on("error", (error) =>
        reject(isConnected ? error : new UnreachableError(error.message, { cause: error })),
      );
      if (!hasBody) return void outgoing.end();
      request.body.once("end", () => {
        const trailers = request.trailers();
        if (trailers.length > 0) outgoing.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
      });
      request.body.pipe(outgoing);
    });
  }

  async #sendHttp2(request: UpstreamRequest): Promise<UpstreamResponse> {
    const session = await this.#session(request.target);
    const { connectProtocol, hasBody, signal } = request;
    if (connectProtocol !== undefined && session.remoteSettings.enableConnectProtocol !== true)
      throw new NoExtendedConnectError("the upstream does not announce extended CONNECT");
    const authority = request.authority ?? request.target;
    const stream = session.request(
      {
        ":method": request.method,
        ":scheme": "http",
        ":path": request.path,
        ":authority": authority,
        ...(connectProtocol !== undefined && { ":protocol": connectProtocol }),
        ...headersOf(request.fields.filter(([name]) => !connectionFields.has(name) && name !== "host")),
      },
      { endStream: !hasBody, waitForTrailers: hasBody },
    );
    const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener("abort", abort, { once: true });
    stream.on("close", () => signal.removeEventListener("abort", abort));
    // Without trailers, Node sends an empty DATA frame with END_STREAM.
    stream.on("wantTrailers", () => stream.sendTrailers(headersOf(request.trailers())));
    let trailers: Fields = [];
    stream.on("trailers", (_trailers: IncomingHttpHeaders, _flags: number, raw?: readonly string[]) => {
      trailers = pairsOf(raw ?? []);
    });
    // Not `pipeline`: it would answer a reset of the client with INTERNAL_ERROR. The signal aborts instead.
    if (hasBody) request.body.pipe(stream);
    return new Promise((resolve, reject) => {
      stream.on(
        "headers",
        (headers: IncomingHttpHeaders & { ":status"?: number }, _flags: number, raw?: readonly string[]) =>
          request.inform({ status: headers[":status"] ?? 100, fields: withoutPseudo(raw ?? []) }),
      );
      stream.on("response", (headers, flags: number, raw?: readonly string[]) =>
        resolve({
          head: { status: headers[":status"] ?? 502, fields: withoutPseudo(raw ?? []) },
          isEnd: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0,
          body: stream,
          trailers: () => trailers,
        }),
      );
      stream.on("error", reject);
      stream.on("close", () => reject(new Error("the upstream closed the stream without a response")));
    });
  }

  async #session(target: string): Promise<ClientHttp2Session> {
    const known = this.#sessions.get(target);
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connectHttp2(`http://${target}`, {
      settings: { enablePush: false, maxHeaderListSize: this.#limits.headBytesMax },
      maxSendHeaderBlockLength: this.#limits.headBytesMax * 2,
    });
    const forget = (): void => {
      if (this.#sessions.get(target) === session) this.#sessions.delete(target);
    };
    session.on("close", forget);
    session.on("goaway", forget);
    await new Promise<void>((resolve, reject) => {
      session.once("remoteSettings", () => resolve());
      session.on("error", (error) => reject(new UnreachableError(error.message, { cause: error })));
      session.once("close", () => reject(new UnreachableError("the upstream closed the connection")));
    });
    this.#sessions.set(target, session);
    return session;
  }
}

function withoutPseudo(raw: readonly string[]): Fields {
  return pairsOf(raw).filter(([name]) => !name.startsWith(":"));
}

/** Returns host and port of `host:port`; an IPv6 host is in brackets. */
export function addressOf(target: string): { host: string; port: number } {
  const colon = target.lastIndexOf(":");
  return { host: target.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(target.slice(colon + 1)) };
}

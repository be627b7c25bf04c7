import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { Agent as TlsAgent } from "node:https";
import { connect as connectSocket } from "node:net";
import type { Readable } from "node:stream";
import type { Clock } from "@homeostat/core";
import type { ProxyLimits } from "../limits/limits.ts";
import type { HttpProtocol } from "../router/route-plan.ts";
import { splitAddress } from "../upstream/address.ts";
import type { Connect } from "../upstream/connect.ts";
import { tlsOptions, type UpstreamTls } from "../upstream/upstream-tls.ts";
import { connectionFields, type Fields, headersOf, pairsOf, type SafeHead } from "./exchange.ts";

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly target: string;
  readonly protocol: HttpProtocol;
  readonly tls: UpstreamTls | undefined;
  readonly method: string;
  readonly path: string;
  readonly authority: string | undefined;
  readonly connectProtocol: string | undefined;
  readonly fields: Fields;
  readonly hasBody: boolean;
  readonly body: Readable;
  readonly trailers: () => Fields;
  readonly signal: AbortSignal;
  /** Called when a part of the body was read. */
  readonly touch: () => void;
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

/** The upstream says that it has not processed the request. */
export class RefusedError extends Error {}

/** Thrown for an extended CONNECT to an upstream that does not announce it. */
export class NoExtendedConnectError extends Error {}

/** Dependencies of {@link SafeUpstreams}. */
export interface SafeUpstreamsOptions {
  readonly clock: Clock;
  readonly limits: ProxyLimits;
  /** Default: TCP. */
  readonly connect?: Connect | undefined;
}

/** Opens a TCP connection that closes when the upstream has closed its direction. */
const connectPlain: Connect = (address) => connectSocket({ ...splitAddress(address), noDelay: true });

/** Connections to upstreams on Node's own modules. */
export class SafeUpstreams {
  readonly #agent: Agent;
  readonly #tlsAgents = new Map<string, TlsAgent>();
  readonly #clock: Clock;
  readonly #connect: Connect;
  readonly #limits: ProxyLimits;
  readonly #sessions = new Map<string, ClientHttp2Session>();

  constructor({ clock, limits, connect = connectPlain }: SafeUpstreamsOptions) {
    this.#clock = clock;
    this.#connect = connect;
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
    for (const agent of [this.#agent, ...this.#tlsAgents.values()])
      for (const socket of Object.values(agent.freeSockets).flatMap((sockets = []) => sockets)) {
        const host = socket.remoteFamily === "IPv6" ? `[${socket.remoteAddress}]` : socket.remoteAddress;
        if (!addresses.has(`${host}:${socket.remotePort}`)) socket.destroy();
      }
    for (const [id, agent] of this.#tlsAgents) {
      const isUsed = [agent.sockets, agent.freeSockets].some((sockets) => Object.keys(sockets).length > 0);
      if (!isUsed) this.#tlsAgents.delete(id);
    }
  }

  close(): void {
    for (const agent of [this.#agent, ...this.#tlsAgents.values()]) agent.destroy();
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }

  async #sendHttp1(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { hasBody, method, path, fields, authority, signal, tls, target } = request;
    const headers = headersOf(fields.filter(([name]) => !connectionFields.has(name)));
    headers["host"] ??= authority ?? request.target;
    if (hasBody && headers["content-length"] === undefined) headers["transfer-encoding"] = "chunked";
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const outgoing = httpRequest({
        ...splitAddress(target),
        ...(tls === undefined
          ? { agent: this.#agent, createConnection: () => this.#connect(target) }
          : { agent: this.#tlsAgentOf(tls), protocol: "https:" }),
        method,
        path,
        headers,
        signal,
        maxHeaderSize: this.#limits.headBytesMax,
      });
      const connected = (): void => {
        isConnected = true;
        // Not earlier: the body would be gone when another target is tried.
        if (hasBody) this.#sendBody(request, outgoing);
      };
      outgoing.on("socket", (socket) => {
        // A socket with TLS that is in its handshake is not connecting any more, but has no request yet.
        const isOpen = tls === undefined ? !socket.connecting : outgoing.reusedSocket;
        if (isOpen) return connected();
        const { connectMs, tlsHandshakeMs } = this.#limits;
        const timer = this.#clock.schedule(connectMs + (tls === undefined ? 0 : tlsHandshakeMs), () =>
          outgoing.destroy(new Error("connect timeout")),
        );
        outgoing.once("close", () => timer[Symbol.dispose]());
        socket.once(tls === undefined ? "connect" : "secureConnect", () => {
          timer[Symbol.dispose]();
          connected();
        });
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
      if (hasBody) outgoing.flushHeaders();
      else outgoing.end();
    });
  }

  /** Returns the agent whose connections have these authorities and this name. */
  #tlsAgentOf(tls: UpstreamTls): TlsAgent {
    const { id } = tls;
    let agent = this.#tlsAgents.get(id);
    if (agent === undefined) {
      agent = new TlsAgent({ keepAlive: true, maxFreeSockets: this.#limits.idleUpstreamsMax, ...tlsOptions(tls) });
      this.#tlsAgents.set(id, agent);
    }
    return agent;
  }

  #sendBody({ body, trailers, touch }: UpstreamRequest, outgoing: ClientRequest): void {
    body.once("end", () => {
      const fields = trailers();
      if (fields.length > 0) outgoing.addTrailers(fields.map(([name, value]): [string, string] => [name, value]));
    });
    body.pipe(outgoing);
    body.on("data", touch);
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
    if (hasBody) {
      request.body.pipe(stream);
      request.body.on("data", request.touch);
    }
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
      const fail = (cause?: Error): void => {
        const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        const Failure = isRefused ? RefusedError : Error;
        reject(new Failure("the upstream closed the stream without a response", { cause }));
      };
      stream.on("error", fail);
      stream.on("close", () => fail());
    });
  }

  async #session(target: string): Promise<ClientHttp2Session> {
    const known = this.#sessions.get(target);
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const socket = this.#connect(target);
    const session = connectHttp2(`http://${target}`, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: this.#limits.headBytesMax },
      maxSendHeaderBlockLength: this.#limits.headBytesMax * 2,
    });
    const forget = (): void => {
      if (this.#sessions.get(target) === session) this.#sessions.delete(target);
    };
    session.on("close", forget);
    session.on("goaway", forget);
    await new Promise<void>((resolve, reject) => {
      const timer = this.#clock.schedule(this.#limits.connectMs, () => {
        socket.destroy();
        session.destroy();
        reject(new UnreachableError("the upstream did not accept the connection in time"));
      });
      socket.once("connect", () => timer[Symbol.dispose]());
      socket.once("close", () => timer[Symbol.dispose]());
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

import { ArgumentError, type Clock, NetworkError, systemClock } from "@homeostat/core";
import { type Credentials, credentialsOf, type RequestCredentials } from "../credentials/credentials.ts";
import type { RunPlugin } from "../credentials/exec-plugin.ts";
import { type FileReader, files as realFiles } from "../credentials/files.ts";
import { runPlugin } from "../credentials/run-plugin.ts";
import { textOf } from "../credentials/text-source.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import { isStream, type Request, type Response, type Transport } from "../transport/transport.ts";
import { Agents } from "./agents.ts";
import { exchange } from "./exchange.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { dialThrough } from "../proxy/proxy.ts";
import { proxyFromEnvironment } from "../proxy/proxy-environment.ts";
import { Slots } from "./slots.ts";
import { pathWithoutQuery } from "../transport/path-without-query.ts";
import { Deadlines } from "../wire/deadlines.ts";
import { plainExchange } from "../wire/plain-exchange.ts";
import { formatHeaders } from "../wire/request-head.ts";
import { HeaderCache } from "../wire/header-cache.ts";

/** Options of {@link connect}. */
export interface ConnectOptions {
  readonly clock?: Clock;
  readonly files?: FileReader;
  readonly run?: RunPlugin;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The maximum number of concurrent requests, not counting watches and other streams. Default 32. */
  readonly requestsMax?: number;
  /** Requests compressed responses: less network traffic, more CPU time on both sides. Default false. */
  readonly compression?: boolean;
  /** The `User-Agent` header, which appears in the server's logs and as the default field manager. Default `homeostat`. */
  readonly userAgent?: string;
}

/** A transport over sockets. `close` aborts running requests and closes all connections; later requests are refused. */
export interface SocketTransport extends Transport {
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Creates a transport to an API server. Nothing is sent before the first request.
 *
 * Credentials and CAs in files are read again when they rotate. After a 401 they are read at once, and the request is retried
 * once if they have changed.
 */
export function connect(connection: Connection, options: ConnectOptions = {}): SocketTransport {
  const { clock = systemClock, files = realFiles, run = runPlugin, env = process.env } = options;
  const url = new URL(connection.server);
  const proxy = connection.proxyUrl === undefined ? proxyFromEnvironment(url, env) : new URL(connection.proxyUrl);
  const credentials: Credentials = credentialsOf(connection, { clock, files, run });
  const { certificateAuthority, serverName, insecureSkipVerify = false } = connection.tls ?? {};
  const authority = certificateAuthority === undefined ? undefined : textOf(certificateAuthority, { files, clock });
  const isSecure = url.protocol === "https:";
  const target = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 443 : 80),
  };
  const agents = new Agents({
    ...target,
    isSecure,
    serverName,
    insecureSkipVerify,
    dial: proxy === undefined ? undefined : dialThrough(proxy, clock),
  });
  const slots = new Slots(options.requestsMax ?? 32);
  const prefix = url.pathname.replace(/\/$/, "");
  const fixed = {
    "user-agent": options.userAgent ?? "homeostat",
    host: url.host,
    ...(options.compression === true ? { "accept-encoding": "gzip" } : {}),
    ...impersonationHeaders(connection.impersonate),
  };

  const headerCache = new HeaderCache(fixed);
  const deadlines = new Deadlines(clock);

  let isClosed = false;

  const sendAs = async (request: Request, auth: RequestCredentials): Promise<Response> => {
    const certificateAuthority = authority?.cached() ?? (await authority?.text());
    request.signal?.throwIfAborted();
    // Streams take no slot: a watch lasts minutes, and a manager with more watches than slots would never send another request.
    const release = isStream(request) ? noRelease : (slots.tryTake() ?? (await slots.take(request.signal)));
    return sendWith(request, { auth, certificateAuthority, release });
  };

  /** Sends a request for which credentials, CA and slot are available. */
  const sendWith = (request: Request, { auth, certificateAuthority, release }: SendContext): Promise<Response> => {
    let pool;
    let headers;
    let lines;
    try {
      if (isClosed) throw new ArgumentError({ argument: "transport", problem: "is closed; create another one." });
      pool = agents.for({ certificateAuthority, certificate: auth.certificate });
      lines = headerCache.format(request, auth);
      if (lines === undefined) {
        headers = headersOf(request, fixed, auth);
        // Only Node's client decompresses responses.
        if (headers["accept-encoding"] === undefined) lines = headLines(request, headers);
      }
    } catch (error) {
      release();
      throw error;
    }
    const whole = prefix === "" ? request : { ...request, path: prefix + request.path };
    if (lines !== undefined)
      return plainExchange(whole, {
        clock,
        deadlines,
        pool: pool.connections,
        headers: lines,
        isAscii: headers === undefined,
        onEnd: release,
      });
    const { agent } = pool;
    return exchange(whole, {
      clock,
      isSecure,
      target: { ...target, agent },
      headers: headers ?? {},
      onEnd: release,
    });
  };

  /** Sends a request without waiting for a file or a slot; returns undefined if it would have to. Saves an async function per request. */
  const trySend = (request: Request, auth: RequestCredentials): Promise<Response> | undefined => {
    const certificateAuthority = authority?.cached();
    if (certificateAuthority === undefined && authority !== undefined) return undefined;
    request.signal?.throwIfAborted();
    const release = isStream(request) ? noRelease : slots.tryTake();
    return release === undefined ? undefined : sendWith(request, { auth, certificateAuthority, release });
  };

  const close = (): void => {
    isClosed = true;
    agents.close();
  };
  return {
    async send(request) {
      const auth = credentials.cached() ?? (await credentials.current(request.signal));
      const response = await (trySend(request, auth) ?? sendAs(request, auth));
      if (response.status !== 401) return response;
      // A 401 means that the request was not processed, so even a write may be sent again. Tokens are cached for some seconds, and a
      // plugin's token may be revoked before it expires, so the source is asked once more. With the same credentials a second attempt
      // would only get the same response.
      credentials.invalidate(auth);
      const next = await credentials.current(request.signal).catch((error: unknown) => {
        response.body.cancel();
        throw error;
      });
      if (next.authorization === auth.authorization && next.certificate?.cert === auth.certificate?.cert) {
        return response;
      }
      response.body.cancel();
      return sendAs(request, next);
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** The credentials, CA and slot of one request. */
interface SendContext {
  readonly auth: RequestCredentials;
  readonly certificateAuthority: string | undefined;
  /** Releases the slot. */
  readonly release: () => void;
}

function noRelease(): void {
  // A stream has no slot.
}

function headersOf(
  request: Request,
  fixed: Record<string, string | string[]>,
  auth: RequestCredentials,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { accept: "application/json", ...fixed };
  for (const [name, value] of Object.entries(request.headers ?? {}))
    headers[name.toLowerCase()] = typeof value === "string" ? value : [...value];
  if (auth.authorization !== undefined) headers["authorization"] = auth.authorization;
  if (request.body !== undefined) headers["content-length"] = String(Buffer.byteLength(request.body));
  return headers;
}

/** Formats headers as lines of HTTP/1.1. */
function headLines(request: Request, headers: Record<string, string | string[]>): string {
  try {
    const length = request.body === undefined && request.method !== "GET" ? "content-length: 0\r\n" : "";
    // Without this header a server may choose any encoding (RFC 9110, section 12.5.3).
    return `${formatHeaders(headers)}accept-encoding: identity\r\n${length}`;
  } catch (cause) {
    const { method, path } = request;
    const about = { method, path: pathWithoutQuery(path) };
    throw new NetworkError({ socketCode: "ERR_INVALID_CHAR", request: about, requestSent: false }, { cause });
  }
}

import { ArgumentError, type Clock, NetworkError, systemClock } from "@homeostat/core";
import { type Credentials, credentialsOf, type Proof } from "../credentials/credentials.ts";
import type { RunPlugin } from "../credentials/exec-plugin.ts";
import { type FileReader, files as realFiles } from "../credentials/files.ts";
import { runPlugin } from "../credentials/run-plugin.ts";
import { textOf } from "../credentials/text-source.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import { isStream, type Request, type Response, type Transport } from "../transport/transport.ts";
import { Agents } from "./agents.ts";
import { exchange } from "./exchange.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { dialThrough } from "./proxy.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";
import { Slots } from "./slots.ts";
import { pathOnly } from "./path-only.ts";
import { Deadlines } from "../wire/deadlines.ts";
import { plainExchange } from "../wire/plain-exchange.ts";
import { formatHeaders } from "../wire/request-head.ts";
import { UsualHeaders } from "../wire/usual-headers.ts";

/** What the sockets need from the world, and how many of them there may be. */
export interface ConnectOptions {
  readonly clock?: Clock;
  readonly files?: FileReader;
  readonly run?: RunPlugin;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How many requests may be under way at once; watches and other streams come on top. Default 32. */
  readonly requestsMax?: number;
  /** Whether to ask for large answers in compressed form: less network, more work for both sides. Default false. */
  readonly compression?: boolean;
  /** What the server's logs and managed fields call this program. Default `homeostat`. */
  readonly userAgent?: string;
}

/** A transport over sockets. Closing it breaks what is under way, closes every connection and lets none be opened again. */
export interface SocketTransport extends Transport {
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Opens the way to an API server. Nothing is sent before the first request.
 *
 * Credentials and authorities that live in files are read again when they rotate. An answer of 401 makes them be read
 * at once, and the request is then sent once more if they have changed.
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

  const usual = new UsualHeaders(fixed);
  const deadlines = new Deadlines(clock);

  let isClosed = false;

  const sendAs = async (request: Request, proof: Proof): Promise<Response> => {
    const certificateAuthority = authority?.known() ?? (await authority?.text());
    request.signal?.throwIfAborted();
    const release = isStream(request) ? nothing : (slots.tryTake() ?? (await slots.take(request.signal)));
    return sendBy(request, { proof, certificateAuthority, release });
  };

  /** Sends a request when everything for it is at hand. */
  const sendBy = (request: Request, { proof, certificateAuthority, release }: Means): Promise<Response> => {
    let pool;
    let headers;
    let lines;
    try {
      if (isClosed) throw new ArgumentError({ argument: "transport", problem: "is closed; open another one." });
      pool = agents.for({ certificateAuthority, certificate: proof.certificate });
      lines = usual.linesOf(request, proof);
      if (lines === undefined) {
        headers = headersOf(request, fixed, proof);
        // What comes packed is for Node's own client.
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
        lines: pool.lines,
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

  /** The same at once, if nothing has to be waited for. */
  const trySend = (request: Request, proof: Proof): Promise<Response> | undefined => {
    const certificateAuthority = authority?.known();
    if (certificateAuthority === undefined && authority !== undefined) return undefined;
    request.signal?.throwIfAborted();
    const release = isStream(request) ? nothing : slots.tryTake();
    return release === undefined ? undefined : sendBy(request, { proof, certificateAuthority, release });
  };

  const close = (): void => {
    isClosed = true;
    agents.close();
  };
  return {
    async send(request) {
      const proof = credentials.known() ?? (await credentials.current(request.signal));
      const response = await (trySend(request, proof) ?? sendAs(request, proof));
      if (response.status !== 401) return response;
      credentials.refused(proof);
      const next = await credentials.current(request.signal).catch((error: unknown) => {
        response.body.cancel();
        throw error;
      });
      if (next.authorization === proof.authorization && next.certificate?.cert === proof.certificate?.cert) {
        return response;
      }
      response.body.cancel();
      return sendAs(request, next);
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** What a request is sent with. */
interface Means {
  readonly proof: Proof;
  readonly certificateAuthority: string | undefined;
  /** Gives its slot back. */
  readonly release: () => void;
}

function nothing(): void {
  // A stream has no slot to give back.
}

function headersOf(
  request: Request,
  fixed: Record<string, string | string[]>,
  proof: Proof,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { accept: "application/json", ...fixed };
  for (const [name, value] of Object.entries(request.headers ?? {}))
    headers[name.toLowerCase()] = typeof value === "string" ? value : [...value];
  if (proof.authorization !== undefined) headers["authorization"] = proof.authorization;
  if (request.body !== undefined) headers["content-length"] = String(Buffer.byteLength(request.body));
  return headers;
}

/** The headers as they are written. */
function headLines(request: Request, headers: Record<string, string | string[]>): string {
  try {
    const length = request.body === undefined && request.method !== "GET" ? "content-length: 0\r\n" : "";
    // Without this a server may pack what it likes.
    return `${formatHeaders(headers)}accept-encoding: identity\r\n${length}`;
  } catch (cause) {
    const { method, path } = request;
    const about = { method, path: pathOnly(path) };
    throw new NetworkError({ socketCode: "ERR_INVALID_CHAR", request: about, requestSent: false }, { cause });
  }
}

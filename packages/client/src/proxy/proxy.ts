import type { Agent } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { type Clock, DeadlineError, HomeostatError } from "@homeostat/core";

/** Thrown when a proxy cannot be reached or does not connect to the server. Nothing was sent to the server. */
export class ProxyError extends HomeostatError {
  readonly code = "PROXY";
  /** The outcome of a write: nothing was sent. */
  readonly outcome = "not-applied";

  override get retryable(): boolean {
    return true;
  }
}

/** Changes how an agent opens its connections. */
export type Dial = (agent: Agent) => Agent;

/** Options of a connection that goes through a proxy. */
interface DialOptions extends ConnectionOptions {
  readonly dialSignal?: AbortSignal;
}

/**
 * Returns the connection option that aborts connecting through a proxy when a signal aborts.
 *
 * Node's client does not tell the agent that a request was destroyed before it had a socket, so a silent proxy would hold the
 * connection for `dialMsMax`. Without a proxy the option has no effect: the socket exists at once and can be destroyed.
 */
export function dialUntil(signal: AbortSignal): object {
  return { dialSignal: signal } satisfies DialOptions;
}

type Callback = (error: Error | null, socket?: Socket) => void;

/** The time limit for connecting to the server through the proxy, independent of the limits of the request. */
const dialMsMax = 30_000;

/** Makes an agent connect through an `http`, `https` or `socks5` proxy. The URL may contain user and password. */
export function dialThrough(proxy: URL, clock: Clock): Dial {
  return (agent) => {
    const createConnection = (options: DialOptions, callback: Callback): undefined => {
      open(proxy, options, clock)
        .then((socket) => callback(null, socket))
        .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error))));
    };
    return Object.assign(agent, { createConnection });
  };
}

/**
 * Opens a connection to the server through the proxy, with TLS if the options ask for it.
 *
 * TLS to the server is established through the tunnel: the proxy sees host name and port, and neither tokens nor objects. The name of the
 * server is resolved by the proxy, because a cluster behind a bastion often has a name that only the other side knows.
 */
async function open(proxy: URL, { dialSignal, ...options }: DialOptions, clock: Clock): Promise<Socket> {
  const host = options.host ?? "localhost";
  const port = options.port ?? 443;
  const socket = await connectThrough(proxy, { host, port, clock, signal: dialSignal });
  // Only the options of HTTPS agents have this property.
  return "rejectUnauthorized" in options
    ? connectTls({ ...options, socket, servername: options.servername ?? (isIP(host) === 0 ? host : "") })
    : socket;
}

/** Opens a connection to a host through an `http`, `https` or `socks5` proxy. The proxy resolves the name of the host. Rejects with a {@link ProxyError}. */
export async function connectThrough(
  proxy: URL,
  {
    host,
    port,
    clock,
    signal,
  }: { readonly host: string; readonly port: number; readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<Socket> {
  const socket = dial(proxy);
  const timer = clock.schedule(dialMsMax, () => socket.destroy(new DeadlineError(dialMsMax)));
  const stop = (): void => void socket.destroy(new ProxyError("the request was aborted before the proxy connected."));
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await connected(socket, proxy);
    await (proxy.protocol.startsWith("socks5")
      ? socksHandshake(socket, proxy, { host, port })
      : connectHandshake(socket, proxy, { host, port }));
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    timer[Symbol.dispose]();
    signal?.removeEventListener("abort", stop);
  }
  return socket;
}

function dial(proxy: URL): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const isTls = proxy.protocol === "https:";
  const port = Number(proxy.port) || (isTls ? 443 : proxy.protocol.startsWith("socks5") ? 1080 : 80);
  return isTls ? connectTls({ host, port, servername: isIP(host) === 0 ? host : "" }) : connectPlain({ host, port });
}

function connected(socket: Socket, proxy: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", (cause) =>
      reject(new ProxyError(`proxy ${proxy.host} cannot be reached. Check proxy-url or HTTPS_PROXY.`, { cause })),
    );
    socket.once(proxy.protocol === "https:" ? "secureConnect" : "connect", resolve);
  });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

async function connectHandshake(socket: Socket, proxy: URL, { host, port }: Target): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const login =
    proxy.username === ""
      ? ""
      : `Proxy-Authorization: Basic ${Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString("base64")}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${login}\r\n`);
  const head = (await received(socket, (bytes) => endOfHead(bytes))).toString("latin1");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status?.startsWith("2") !== true)
    throw new ProxyError(
      `proxy ${proxy.host} responded ${status === undefined ? "without an HTTP status" : `with status ${status}`} to CONNECT ${target}. Check the access rules of the proxy, or set NO_PROXY.`,
    );
}

const socksFailures = [
  "",
  "general failure",
  "not allowed",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "TTL expired",
  "command not supported",
  "address type not supported",
];

async function socksHandshake(socket: Socket, proxy: URL, { host, port }: Target): Promise<void> {
  const hasLogin = proxy.username !== "";
  socket.write(Buffer.from(hasLogin ? [5, 2, 0, 2] : [5, 1, 0]));
  const [, method] = await received(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
  if (method === 2 && hasLogin) {
    const user = counted("user", decodeURIComponent(proxy.username));
    const password = counted("password", decodeURIComponent(proxy.password));
    socket.write(Buffer.concat([Buffer.from([1]), user, password]));
    const [, status] = await received(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
    if (status !== 0)
      throw new ProxyError(
        `proxy ${proxy.host} refused the user name or password. Check those in the URL of the proxy.`,
      );
  } else if (method !== 0)
    throw new ProxyError(`proxy ${proxy.host} requires authentication. Add user and password to its URL.`);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3]), counted("host", host), Buffer.from([port >> 8, port & 255])]));
  const response = await received(socket, (bytes) => {
    if (bytes.length < 5) return undefined;
    const size = bytes[3] === 1 ? 10 : bytes[3] === 4 ? 22 : 7 + (bytes[4] ?? 0);
    return bytes.length >= size ? size : undefined;
  });
  const failure = response[1] ?? 1;
  if (failure !== 0)
    throw new ProxyError(
      `proxy ${proxy.host} could not connect to ${host}:${port}: ${socksFailures[failure] ?? `failure ${failure}`}.`,
    );
}

/** Encodes a text with a length prefix of one byte, as SOCKS5 does. */
function counted(what: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new ProxyError(`the ${what} for the proxy is longer than 255 bytes. Shorten it.`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

const handshakeBytesMax = 16 * 1024;

/** Returns the bytes of one response of the proxy. `size` returns its length, or undefined if more bytes are needed. */
function received(socket: Socket, size: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const finish = (): void => {
      socket.off("data", onData);
      socket.off("error", onEnd);
      socket.off("close", onEnd);
    };
    const onData = (piece: Buffer): void => {
      bytes = Buffer.concat([bytes, piece]);
      const end = size(bytes);
      if (end === undefined && bytes.length <= handshakeBytesMax) return;
      finish();
      // A server sends nothing before the client does, so no bytes may follow the response of the proxy.
      if (end === bytes.length) resolve(bytes);
      else reject(new ProxyError("the response is not that of a proxy. Check proxy-url or HTTPS_PROXY."));
    };
    const onEnd = (cause?: Error | boolean): void => {
      finish();
      reject(new ProxyError("the proxy closed the connection.", cause instanceof Error ? { cause } : undefined));
    };
    socket.on("data", onData);
    socket.on("error", onEnd);
    socket.on("close", onEnd);
  });
}

function endOfHead(bytes: Buffer): number | undefined {
  const at = bytes.indexOf("\r\n\r\n");
  return at < 0 ? undefined : at + 4;
}

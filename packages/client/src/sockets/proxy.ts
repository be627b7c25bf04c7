import type { Agent } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { type Clock, DeadlineError, HomeostatError } from "@homeostat/core";

/** Thrown when a proxy on the way to the server refuses to connect. Nothing was sent to the server. */
export class ProxyError extends HomeostatError {
  readonly code = "PROXY";
  /** What became of a write: nothing. */
  readonly outcome = "not-applied";

  override get retryable(): boolean {
    return true;
  }
}

/** Makes the connections of an agent go another way. */
export type Dial = (agent: Agent) => Agent;

/** Options of a connection that goes through a proxy. */
interface DialOptions extends ConnectionOptions {
  readonly dialSignal?: AbortSignal;
}

/**
 * Returns the connection options that end an attempt to connect through a proxy when a signal aborts.
 *
 * Node's client does not pass on that a request was destroyed before its agent had a socket, so a silent proxy would hold the
 * connection until `dialMsMax`. Without a proxy the option has no effect: the socket is there at once and can be closed.
 */
export function dialUntil(signal: AbortSignal): object {
  return { dialSignal: signal } satisfies DialOptions;
}

type Callback = (error: Error | null, socket?: Socket) => void;

/** The time to reach the server behind the proxy, whatever the request allows. */
const dialMsMax = 30_000;

/** Lets an agent connect through an `http`, `https` or `socks5` proxy. User and password may stand in the URL. */
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

/** A connection to the server behind the proxy, with TLS on top when the options ask for it. */
async function open(proxy: URL, { dialSignal, ...options }: DialOptions, clock: Clock): Promise<Socket> {
  const host = options.host ?? "localhost";
  const port = options.port ?? 443;
  const socket = dial(proxy);
  const timer = clock.schedule(dialMsMax, () => socket.destroy(new DeadlineError(dialMsMax)));
  const stop = (): void => void socket.destroy(new ProxyError("the request was given up before the proxy connected."));
  dialSignal?.addEventListener("abort", stop, { once: true });
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
    dialSignal?.removeEventListener("abort", stop);
  }
  // Agents for https are told apart by what only they have.
  return "rejectUnauthorized" in options
    ? connectTls({ ...options, socket, servername: options.servername ?? (isIP(host) === 0 ? host : "") })
    : socket;
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
      reject(new ProxyError(`the proxy ${proxy.host} cannot be reached. Check proxy-url or HTTPS_PROXY.`, { cause })),
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
      `the proxy ${proxy.host} answered ${status ?? "nonsense"} to CONNECT ${target}. Ask its owner, or set NO_PROXY.`,
    );
}

const socksFailures = [
  "",
  "general failure",
  "not allowed",
  "network unreachable",
  "host unreachable",
  "refused",
  "expired",
  "command unknown",
  "address unknown",
];

async function socksHandshake(socket: Socket, proxy: URL, { host, port }: Target): Promise<void> {
  const hasLogin = proxy.username !== "";
  socket.write(Buffer.from(hasLogin ? [5, 2, 0, 2] : [5, 1, 0]));
  const [, method] = await received(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
  if (method === 2 && hasLogin) {
    const user = counted("user", decodeURIComponent(proxy.username));
    const password = counted("password", decodeURIComponent(proxy.password));
    socket.write(Buffer.concat([Buffer.from([1]), user, password]));
    const [, verdict] = await received(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
    if (verdict !== 0) throw new ProxyError(`the proxy ${proxy.host} refused the user. Check the proxy's URL.`);
  } else if (method !== 0)
    throw new ProxyError(`the proxy ${proxy.host} wants a login we do not have. Put user and password into its URL.`);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3]), counted("host", host), Buffer.from([port >> 8, port & 255])]));
  const answer = await received(socket, (bytes) => {
    if (bytes.length < 5) return undefined;
    const size = bytes[3] === 1 ? 10 : bytes[3] === 4 ? 22 : 7 + (bytes[4] ?? 0);
    return bytes.length >= size ? size : undefined;
  });
  const failure = answer[1] ?? 1;
  if (failure !== 0)
    throw new ProxyError(
      `the proxy ${proxy.host} could not connect to ${host}:${port}: ${socksFailures[failure] ?? `failure ${failure}`}.`,
    );
}

/** A text with its length in one byte before it, as SOCKS has them. */
function counted(what: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new ProxyError(`the ${what} for the proxy is longer than 255 bytes. Shorten it.`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

const handshakeBytesMax = 16 * 1024;

/** The bytes of one answer of the proxy, as soon as `size` says how long it is. */
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
      // Whoever is behind the proxy speaks only when spoken to, so nothing may follow.
      if (end === bytes.length) resolve(bytes);
      else reject(new ProxyError("the proxy's answer is not one of a proxy. Check proxy-url or HTTPS_PROXY."));
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

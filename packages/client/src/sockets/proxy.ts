import type { Agent } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { HomeostatError } from "@homeostat/core";

/** Thrown when a proxy on the way to the server refuses to connect. Nothing was sent to the server. */
export class ProxyError extends HomeostatError {
  readonly code = "PROXY";

  override get retryable(): boolean {
    return true;
  }
}

/** Makes the connections of an agent go another way. */
export type Dial = (agent: Agent) => Agent;

type Callback = (error: Error | null, socket?: Socket) => void;

/** Lets an agent connect through an `http`, `https` or `socks5` proxy. User and password may stand in the URL. */
export function dialThrough(proxy: URL): Dial {
  return (agent) => {
    const createConnection = (options: ConnectionOptions, callback: Callback): undefined => {
      open(proxy, options)
        .then((socket) => callback(null, socket))
        .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error))));
    };
    return Object.assign(agent, { createConnection });
  };
}

/**
 * The proxy that the environment asks for, read as Go's programs do: `HTTPS_PROXY` or `HTTP_PROXY` by the scheme of the
 * server, except for the hosts of `NO_PROXY` and this machine itself.
 */
export function proxyFromEnvironment(server: URL, env: Readonly<Record<string, string | undefined>>): URL | undefined {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (host === "localhost" || host === "::1" || host.startsWith("127.")) return undefined;
  const names = server.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const value = names.map((name) => env[name]).find((text) => text !== undefined && text !== "");
  if (value === undefined || isExempt(host, server.port, env["NO_PROXY"] ?? env["no_proxy"] ?? "")) return undefined;
  const text = value.includes("://") ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .some((item) => {
      if (item === "*") return true;
      const [name = "", itemPort] = isIP(item) === 6 ? [item] : item.split(":");
      if (name === "" || (itemPort !== undefined && itemPort !== port)) return false;
      if (name.includes("/")) return inRange(host, name);
      const suffix = name.replace(/^\*?\./, "");
      return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`));
    });
}

/** Whether an IPv4 address lies in a range such as `10.0.0.0/8`. */
function inRange(host: string, range: string): boolean {
  const [base = "", bits = ""] = range.split("/");
  if (isIP(host) !== 4 || isIP(base) !== 4 || !/^\d+$/.test(bits)) return false;
  const number = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Math.min(32, Number(bits)));
  return Math.floor(number(host) / size) === Math.floor(number(base) / size);
}

/** A connection to the server behind the proxy, with TLS on top when the options ask for it. */
async function open(proxy: URL, options: ConnectionOptions & { readonly secureEndpoint?: boolean }): Promise<Socket> {
  const host = options.host ?? "localhost";
  const port = options.port ?? 443;
  const socket = await connected(proxy);
  try {
    await (proxy.protocol === "socks5:"
      ? socksHandshake(socket, proxy, host, port)
      : connectHandshake(socket, proxy, host, port));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // Agents for https are told apart by what only they have.
  return "rejectUnauthorized" in options
    ? connectTls({ ...options, socket, servername: options.servername ?? (isIP(host) === 0 ? host : "") })
    : socket;
}

function connected(proxy: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const host = proxy.hostname.replace(/^\[|\]$/g, "");
    const isTls = proxy.protocol === "https:";
    const port = Number(proxy.port) || (isTls ? 443 : proxy.protocol === "socks5:" ? 1080 : 80);
    const socket = isTls
      ? connectTls({ host, port, servername: isIP(host) === 0 ? host : "" })
      : connectPlain({ host, port });
    socket.once("error", (cause) =>
      reject(new ProxyError(`the proxy ${proxy.host} cannot be reached. Check proxy-url or HTTPS_PROXY.`, { cause })),
    );
    socket.once(isTls ? "secureConnect" : "connect", () => resolve(socket));
  });
}

async function connectHandshake(socket: Socket, proxy: URL, host: string, port: number): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const login =
    proxy.username === ""
      ? ""
      : `Proxy-Authorization: Basic ${Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString("base64")}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${login}\r\n`);
  const head = (await received(socket, (bytes) => endOfHead(bytes))).toString("latin1");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status !== "200")
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

async function socksHandshake(socket: Socket, proxy: URL, host: string, port: number): Promise<void> {
  const hasLogin = proxy.username !== "";
  socket.write(Buffer.from(hasLogin ? [5, 2, 0, 2] : [5, 1, 0]));
  const [, method] = await received(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
  if (method === 2 && hasLogin) {
    const user = Buffer.from(decodeURIComponent(proxy.username));
    const password = Buffer.from(decodeURIComponent(proxy.password));
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
    const [, verdict] = await received(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
    if (verdict !== 0) throw new ProxyError(`the proxy ${proxy.host} refused the user. Check the proxy's URL.`);
  } else if (method !== 0)
    throw new ProxyError(`the proxy ${proxy.host} wants a login we do not have. Put user and password into its URL.`);
  const name = Buffer.from(host);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, Buffer.from([port >> 8, port & 255])]));
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

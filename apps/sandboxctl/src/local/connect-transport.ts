// Connections to the tunnel server, below TLS.

import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { UsageError } from "@homeostat/core";
import { proxyFromEnvironment } from "@homeostat/client";
import { connectThroughProxy, type TransportName } from "@homeostat/tunnel";

/** Address of a tunnel server. */
export interface TunnelAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads the address of a tunnel server: `host:port`, or a URL. Throws a {@link UsageError}. */
export function tunnelAddress(text: string): TunnelAddress {
  const full = text.includes("://") ? text : `https://${text}`;
  const url = URL.canParse(full.replace(/^(?:wss|tls):/, "https:"))
    ? new URL(full.replace(/^(?:wss|tls):/, "https:"))
    : undefined;
  if (url === undefined || url.hostname === "")
    throw new UsageError(`The address of the tunnel server is ${JSON.stringify(text)}; it must be HOST:PORT.`);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? 443 : Number(url.port) };
}

/** Opens a connection to the tunnel server, through the HTTP proxy of the environment if there is one. */
export async function connectDirect(
  address: TunnelAddress,
  { env, signal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<Duplex> {
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const proxy = proxyFromEnvironment(new URL(`https://${host}:${address.port}`), env);
  if (proxy?.protocol !== "http:") return connectTcp(address, signal);
  const connection = await connectTcp(
    { host: proxy.hostname.replace(/^\[|\]$/g, ""), port: proxy.port === "" ? 80 : Number(proxy.port) },
    signal,
  );
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  try {
    await connectThroughProxy({
      connection,
      target: `${host}:${address.port}`,
      ...(proxy.username !== "" && { credentials }),
      signal,
    });
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return connection;
}

/** Opens a TCP connection. */
export function connectTcp({ host, port }: TunnelAddress, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const stop = (): void => fail(signal.reason);
    const fail = (error: unknown): void => {
      signal.removeEventListener("abort", stop);
      socket.on("error", () => undefined).destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    socket.once("error", fail).once("connect", () => {
      signal.removeEventListener("abort", stop);
      socket.off("error", fail).setNoDelay(true).setKeepAlive(true, 15_000);
      resolve(socket);
    });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

/** Transports of the option `--transport`; undefined for all of them. */
export function transportsOf(text: string, all: readonly TransportName[]): readonly TransportName[] | undefined {
  const one = all.find((name) => name === text);
  return one === undefined ? undefined : [one];
}

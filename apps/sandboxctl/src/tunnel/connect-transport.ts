// Connections to the tunnel server, below TLS.

import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connectThrough, proxyFromEnvironment } from "@homeostat/client";
import { type Random, systemClock, UsageError } from "@homeostat/core";
import type { TransportName } from "@homeostat/tunnel";
import type { Cluster } from "../command/context.ts";
import { forwardToServer } from "./forward-to-server.ts";

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

/** Opens a connection to the tunnel server with a transport. */
export async function connectBy(
  transport: TransportName,
  {
    server,
    cluster,
    env,
    random,
    signal,
  }: {
    readonly server: string;
    readonly cluster: Cluster;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly random: Random;
    readonly signal: AbortSignal;
  },
): Promise<Duplex> {
  return transport === "kube"
    ? forwardToServer(cluster, { random, signal })
    : connectDirect(tunnelAddress(server), { env, signal });
}

/** Opens a connection to a host, through the proxy of the environment if there is one. */
export async function connectDirect(
  address: TunnelAddress,
  { env, signal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<Socket> {
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const url = `https://${host}:${address.port}`;
  const proxy = URL.canParse(url) ? proxyFromEnvironment(new URL(url), env) : undefined;
  if (proxy === undefined) return connectTcp(address, signal);
  return connectThrough(proxy, { ...address, clock: systemClock, signal });
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

/** Returns transports with one of them moved to the beginning. */
export function startingWith(
  first: TransportName | undefined,
  transports: readonly TransportName[],
): readonly TransportName[] {
  return first === undefined ? transports : [first, ...transports.filter((each) => each !== first)];
}

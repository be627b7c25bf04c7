import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { NetworkError, systemClock } from "@homeostat/core";
import { credentialsOf } from "../credentials/credentials.ts";
import { files as realFiles } from "../credentials/files.ts";
import { runPlugin } from "../credentials/run-plugin.ts";
import { textOf } from "../credentials/text-source.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import { connectThrough } from "../proxy/proxy.ts";
import { proxyFromEnvironment } from "../proxy/proxy-environment.ts";
import { contextOf } from "./agents.ts";
import type { ConnectOptions } from "./connect.ts";
import { impersonationHeaders } from "./impersonation.ts";

/** A connection to an API server for one request that takes it over, such as an upgrade to a WebSocket. */
export interface ServerConnection {
  readonly socket: Socket;
  /** The `Host` header. */
  readonly host: string;
  /** Path before `/api` and `/apis`; empty for none. */
  readonly pathPrefix: string;
  /** Headers that authenticate the user. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Opens a connection to an API server with the credentials of a kubeconfig, through its proxy if it has one. HTTP/1.1 is negotiated. Clients use their own
 * connections; this one is for protocols that they do not speak.
 */
export async function openServerConnection(
  connection: Connection,
  { signal, ...options }: Pick<ConnectOptions, "clock" | "files" | "run" | "env"> & { readonly signal: AbortSignal },
): Promise<ServerConnection> {
  const { clock = systemClock, files = realFiles, run = runPlugin, env = process.env } = options;
  const url = new URL(connection.server);
  const { authorization, certificate } = await credentialsOf(connection, { clock, files, run }).current(signal);
  const { certificateAuthority, serverName, insecureSkipVerify = false } = connection.tls ?? {};
  const authority =
    certificateAuthority === undefined ? undefined : await textOf(certificateAuthority, { files, clock }).text();
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const proxy = connection.proxyUrl === undefined ? proxyFromEnvironment(url, env) : new URL(connection.proxyUrl);
  const plain =
    proxy === undefined
      ? connectPlain({ host, port, noDelay: true })
      : await connectThrough(proxy, { host, port, clock, signal });
  const socket = isSecure
    ? connectTls({
        socket: plain,
        // Not connected to again: the certificate is verified for this host if it is an address, which a server name must not be.
        host,
        secureContext: contextOf({ certificateAuthority: authority, certificate }),
        servername: serverName ?? (isIP(host) === 0 ? host : ""),
        rejectUnauthorized: !insecureSkipVerify,
        ALPNProtocols: ["http/1.1"],
      })
    : plain;
  await opened(socket, isSecure ? "secureConnect" : plain.connecting ? "connect" : undefined, signal);
  return {
    socket,
    host: url.host,
    pathPrefix: url.pathname.replace(/\/$/, ""),
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...impersonationHeaders(connection.impersonate),
    },
  };
}

/** Waits until a socket is open; undefined if it is already. Destroys it if that fails or the signal aborts. */
async function opened(socket: Socket, event: string | undefined, signal: AbortSignal): Promise<void> {
  if (event === undefined) return;
  await new Promise<void>((resolve, reject) => {
    const finish = (error: unknown): void => {
      socket.off(event, succeed).off("error", fail);
      signal.removeEventListener("abort", stop);
      if (error === undefined) return resolve();
      socket.on("error", () => undefined).destroy();
      reject(error instanceof Error ? error : new TypeError("not an error", { cause: error }));
    };
    const succeed = (): void => finish(undefined);
    const stop = (): void => finish(signal.reason);
    const fail = (cause: Error): void => {
      const socketCode = "code" in cause ? String(cause.code) : "UNKNOWN";
      finish(new NetworkError({ socketCode, request: { method: "GET", path: "/" }, requestSent: false }, { cause }));
    };
    socket.once(event, succeed).once("error", fail);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

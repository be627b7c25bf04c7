import type { RequestOptions } from "node:http";
import { type Clock, systemClock } from "@homeostat/core";
import { type Credentials, credentialsOf, type Proof } from "../credentials/credentials.ts";
import type { RunPlugin } from "../credentials/exec-plugin.ts";
import { type FileReader, files as realFiles } from "../credentials/files.ts";
import { runPlugin } from "../credentials/run-plugin.ts";
import { WatchedFile } from "../credentials/watched-file.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import type { Impersonation } from "../kubeconfig/kubeconfig.ts";
import type { Request, Response, Transport } from "../transport/transport.ts";
import { Agents } from "./agents.ts";
import { exchange } from "./exchange.ts";
import { dialThrough, proxyFromEnvironment } from "./proxy.ts";

/** What the sockets need from the world, and how many of them there may be. */
export interface ConnectOptions {
  readonly clock?: Clock;
  readonly files?: FileReader;
  readonly run?: RunPlugin;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How many connections requests may share; watches come on top. Default 32. */
  readonly connectionsMax?: number;
  /** What the server's logs and managed fields call this program. Default `homeostat`. */
  readonly userAgent?: string;
}

/** A transport over sockets. Closing it closes every connection. */
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
  const authority = authorityOf(connection, { files, clock });
  const isSecure = url.protocol === "https:";
  const agents = new Agents({
    isSecure,
    serverName: connection.tls.serverName,
    insecureSkipVerify: connection.tls.insecureSkipVerify,
    connectionsMax: options.connectionsMax ?? 32,
    dial: proxy === undefined ? undefined : dialThrough(proxy),
  });
  const target: RequestOptions = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || (isSecure ? 443 : 80),
  };
  const prefix = url.pathname.replace(/\/$/, "");
  const fixed = {
    "user-agent": options.userAgent ?? "homeostat",
    host: url.host,
    ...impersonationHeaders(connection.impersonate),
  };

  const sendAs = async (request: Request, proof: Proof): Promise<Response> => {
    const agent = agents.for(
      { certificateAuthority: await authority(), certificate: proof.certificate },
      request.about?.verb === "watch" ? "long" : "short",
    );
    return exchange(
      { ...request, path: prefix + request.path },
      { clock, isSecure, target: { ...target, agent }, headers: headersOf(request, fixed, proof) },
    );
  };

  const close = (): void => agents.close();
  return {
    async send(request) {
      const proof = await credentials.current(request.signal);
      const response = await sendAs(request, proof);
      if (response.status !== 401) return response;
      credentials.refused(proof);
      const next = await credentials.current(request.signal);
      if (next.authorization === proof.authorization && next.certificate?.cert === proof.certificate?.cert)
        return response;
      response.body.cancel();
      return sendAs(request, next);
    },
    close,
    [Symbol.dispose]: close,
  };
}

function authorityOf(
  connection: Connection,
  options: { files: FileReader; clock: Clock },
): () => Promise<string | undefined> {
  const material = connection.tls.certificateAuthority;
  if (material === undefined) return () => Promise.resolve(undefined);
  if ("data" in material) return () => Promise.resolve(material.data);
  const file = new WatchedFile(material.path, options);
  return () => file.text();
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

function impersonationHeaders(impersonate: Impersonation | undefined): Record<string, string | string[]> {
  if (impersonate?.user === undefined) return {};
  const extra = [...impersonate.extra].map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, [...values]] as const,
  );
  return {
    "impersonate-user": impersonate.user,
    ...(impersonate.uid === undefined ? {} : { "impersonate-uid": impersonate.uid }),
    ...(impersonate.groups.length === 0 ? {} : { "impersonate-group": [...impersonate.groups] }),
    ...Object.fromEntries(extra),
  };
}

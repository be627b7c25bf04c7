import type { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type AgentOptions } from "node:https";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { RequestCredentials } from "../credentials/credentials.ts";
import { CredentialsError } from "../credentials/errors.ts";
import { http } from "./node-http.ts";
import { ConnectionPool, opener } from "../wire/connection-pool.ts";
import type { Dial } from "../proxy/proxy.ts";

/** Options of all connections of a client. */
export interface AgentsOptions {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** Makes the agent connect through a proxy; undefined for direct connections. */
  readonly dial: Dial | undefined;
}

/** The current client certificate and CA. */
export interface TlsMaterial {
  readonly certificateAuthority: string | undefined;
  readonly certificate: RequestCredentials["certificate"];
}

/** The connections with the same certificates. */
export interface Pool {
  readonly material: TlsMaterial;
  /** Used for streams and compressed responses. */
  readonly agent: HttpAgent;
  /** Used for all other requests. */
  readonly connections: ConnectionPool;
}

/**
 * Idle connections are closed after this time: API servers close them after 90 s, load balancers earlier. The side that closes first
 * must be this one: a request written to a connection that the server is closing fails, and a failed write cannot be retried without
 * knowing whether it was processed.
 */
const idleMsMax = 55_000;

/**
 * The open connections of a client.
 *
 * When a certificate or a CA rotates, new requests get new connections; running requests finish on the old ones. A TLS connection keeps
 * the identity of its handshake: on a reused connection the API server would see the old certificate, which soon expires. Watches are
 * not cut off by a rotation. They end within minutes by themselves and reconnect with the new certificate.
 */
export class Agents {
  readonly #options: AgentsOptions;
  #current: Pool | undefined;
  /** Pools whose certificates rotated while some of their connections were in use. */
  #retired: Pool[] = [];

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** Returns the pool for these certificates. */
  for(material: TlsMaterial): Pool {
    if (this.#current === undefined || !isSame(this.#current.material, material)) {
      this.#retire();
      this.#current = this.#make(material);
    }
    return this.#current;
  }

  /** Closes every connection, idle or not. */
  close(): void {
    this.#retire();
    for (const { agent, connections } of this.#retired) {
      agent.destroy();
      connections.close();
    }
    this.#retired = [];
  }

  /** Closes idle connections now. Connections in use close when they become idle, because the agent keeps no free sockets. */
  #retire(): void {
    const pool = this.#current;
    this.#current = undefined;
    this.#retired = [...this.#retired, ...(pool === undefined ? [] : [pool])].filter(isInUse);
    if (pool === undefined) return;
    const { agent, connections } = pool;
    connections.retire();
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  #make(material: TlsMaterial): Pool {
    const { isSecure, host, port, serverName, insecureSkipVerify, dial } = this.#options;
    const common: AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: 15_000,
      // Limits only the idle sockets. The number of concurrent requests is limited by Slots.
      maxFreeSockets: 32,
      // Reuse the most recently used connection: the others then become idle and are closed, and the reused one is least likely to
      // have been closed by the server.
      scheduling: "lifo",
      // Node applies this timeout to idle connections only.
      timeout: idleMsMax,
    };
    const secure: AgentOptions = {
      // Created once per pool. Given PEM texts instead, Node would parse them for every connection and compare them for every request.
      ...(isSecure ? { secureContext: contextOf(material) } : {}),
      ...(serverName === undefined ? {} : { servername: serverName }),
      rejectUnauthorized: !insecureSkipVerify,
    };
    const plain = isSecure ? new HttpsAgent({ ...common, ...secure }) : new http.Agent(common);
    const agent = dial === undefined ? plain : dial(plain);
    // Node's HTTPS client derives the server name itself; the connection pool must set it. It must not be an IP address (RFC 6066).
    const servername = serverName ?? (isIP(host) === 0 ? host : "");
    const options = { host, port, noDelay: true, ...(isSecure ? { ...secure, servername } : {}) };
    return { material, agent, connections: new ConnectionPool(opener(agent, options)) };
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    a.certificateAuthority === b.certificateAuthority &&
    a.certificate?.cert === b.certificate?.cert &&
    a.certificate?.key === b.certificate?.key
  );
}

/** Returns the TLS context of connections with these certificates. Throws a {@link CredentialsError} if one is invalid. */
export function contextOf({ certificateAuthority, certificate }: TlsMaterial): SecureContext {
  try {
    return createSecureContext({
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
      minVersion: "TLSv1.2",
    });
  } catch (cause) {
    throw new CredentialsError(
      "The client certificate, its key or the CA is invalid. Check that each is PEM and has no password.",
      { cause },
    );
  }
}

function isInUse({ agent, connections }: Pool): boolean {
  return Object.keys(agent.sockets).length > 0 || connections.isInUse;
}

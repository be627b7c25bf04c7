import type { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type AgentOptions } from "node:https";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Proof } from "../credentials/credentials.ts";
import { CredentialsError } from "../credentials/errors.ts";
import { http } from "./node-http.ts";
import { Lines, opener } from "../wire/lines.ts";
import type { Dial } from "./proxy.ts";

/** What all connections of one client have in common. */
export interface AgentsOptions {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** Opens the connection to the server through a proxy; undefined to go straight. */
  readonly dial: Dial | undefined;
}

/** Who we are and whom we trust, at the moment. */
export interface TlsMaterial {
  readonly certificateAuthority: string | undefined;
  readonly certificate: Proof["certificate"];
}

/** The connections that are made with the same certificates. */
export interface Pool {
  readonly material: TlsMaterial;
  /** For streams, and for what is to be unpacked. */
  readonly agent: HttpAgent;
  /** For everything else. */
  readonly lines: Lines;
}

/** Connections that nobody has used for so long are closed: an API server closes them after 90 s, balancers sooner. */
const idleMsMax = 55_000;

/**
 * The pool of open connections.
 *
 * When a certificate or an authority rotates, new requests get new connections; those in use finish on the old ones.
 */
export class Agents {
  readonly #options: AgentsOptions;
  #current: Pool | undefined;
  /** Pools whose certificates have rotated while connections of theirs were in use. */
  #retired: Pool[] = [];

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** The pool for requests that are sent with these certificates. */
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
    for (const { agent, lines } of this.#retired) {
      agent.destroy();
      lines.close();
    }
    this.#retired = [];
  }

  /** Closes what is idle now; what is in use closes when it is done, as nothing keeps it afterwards. */
  #retire(): void {
    const pool = this.#current;
    this.#current = undefined;
    this.#retired = [...this.#retired, ...(pool === undefined ? [] : [pool])].filter(isInUse);
    if (pool === undefined) return;
    const { agent, lines } = pool;
    lines.retire();
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  #make(material: TlsMaterial): Pool {
    const { isSecure, host, port, serverName, insecureSkipVerify, dial } = this.#options;
    const common: AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: 15_000,
      // How many there may be is not the agent's to say; see Slots.
      maxFreeSockets: 32,
      scheduling: "lifo",
      // Node applies this to idle connections only.
      timeout: idleMsMax,
    };
    const secure: AgentOptions = {
      // Made once per pool: from the texts, every connection would read them anew and every request compare them.
      ...(isSecure ? { secureContext: contextOf(material) } : {}),
      ...(serverName === undefined ? {} : { servername: serverName }),
      rejectUnauthorized: !insecureSkipVerify,
    };
    const plain = isSecure ? new HttpsAgent({ ...common, ...secure }) : new http.Agent(common);
    const agent = dial === undefined ? plain : dial(plain);
    // Node's client finds out the name for TLS by itself.
    const servername = serverName ?? (isIP(host) === 0 ? host : "");
    const how = { host, port, noDelay: true, ...(isSecure ? { ...secure, servername } : {}) };
    return { material, agent, lines: new Lines(opener(agent, how)) };
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    a.certificateAuthority === b.certificateAuthority &&
    a.certificate?.cert === b.certificate?.cert &&
    a.certificate?.key === b.certificate?.key
  );
}

function contextOf({ certificateAuthority, certificate }: TlsMaterial): SecureContext {
  try {
    return createSecureContext({
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
      minVersion: "TLSv1.2",
    });
  } catch (cause) {
    throw new CredentialsError(
      "The certificate, its key or the certificate authority cannot be used. Check that each is PEM, and without a password.",
      { cause },
    );
  }
}

function isInUse({ agent, lines }: Pool): boolean {
  return Object.keys(agent.sockets).length > 0 || lines.isInUse;
}

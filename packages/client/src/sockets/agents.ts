import type { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type AgentOptions } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Proof } from "../credentials/credentials.ts";
import { CredentialsError } from "../credentials/errors.ts";
import { http } from "./node-http.ts";
import type { Dial } from "./proxy.ts";

/** What all connections of one client have in common. */
export interface AgentsOptions {
  readonly isSecure: boolean;
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

interface Pool {
  readonly material: TlsMaterial;
  readonly agent: HttpAgent;
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
  #retired: HttpAgent[] = [];

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** The pool for requests that are sent with these certificates. */
  for(material: TlsMaterial): HttpAgent {
    if (this.#current === undefined || !isSame(this.#current.material, material)) {
      this.#retire();
      this.#current = { material, agent: this.#make(material) };
    }
    return this.#current.agent;
  }

  /** Closes every connection, idle or not. */
  close(): void {
    this.#retire();
    for (const agent of this.#retired) agent.destroy();
    this.#retired = [];
  }

  /** Closes what is idle now; what is in use closes when it is done, as nothing keeps it afterwards. */
  #retire(): void {
    const agent = this.#current?.agent;
    this.#current = undefined;
    this.#retired = [...this.#retired, ...(agent === undefined ? [] : [agent])].filter(isInUse);
    if (agent === undefined) return;
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  #make(material: TlsMaterial): HttpAgent {
    const { isSecure, serverName, insecureSkipVerify, dial } = this.#options;
    const common: AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: 15_000,
      // How many there may be is not the agent's to say; see Slots.
      maxFreeSockets: 32,
      scheduling: "lifo",
      // Node applies this to idle connections only.
      timeout: idleMsMax,
    };
    const agent = isSecure
      ? new HttpsAgent({
          ...common,
          // Made once per pool: from the texts, every connection would read them anew and every request compare them.
          secureContext: contextOf(material),
          ...(serverName === undefined ? {} : { servername: serverName }),
          rejectUnauthorized: !insecureSkipVerify,
        })
      : new http.Agent(common);
    return dial === undefined ? agent : dial(agent);
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

function isInUse(agent: HttpAgent): boolean {
  return Object.keys(agent.sockets).length > 0;
}

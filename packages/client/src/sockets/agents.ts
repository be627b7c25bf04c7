import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type AgentOptions } from "node:https";
import type { Proof } from "../credentials/credentials.ts";
import type { Dial } from "./proxy.ts";

/** What all connections of one client have in common. */
export interface AgentsOptions {
  readonly isSecure: boolean;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** How many connections short requests may share. Watches have connections of their own, without a limit. */
  readonly connectionsMax: number;
  /** Opens the connection to the server through a proxy; undefined to go straight. */
  readonly dial: Dial | undefined;
}

/** Who we are and whom we trust, at the moment. */
export interface TlsMaterial {
  readonly certificateAuthority: string | undefined;
  readonly certificate: Proof["certificate"];
}

interface Pair {
  readonly material: TlsMaterial;
  readonly short: HttpAgent;
  readonly long: HttpAgent;
}

/**
 * The pools of open connections.
 *
 * When a certificate or an authority rotates, new requests get new connections; those in use finish on the old ones.
 */
export class Agents {
  readonly #options: AgentsOptions;
  #current: Pair | undefined;

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** The pool for a request: watches and other streams without an end are `long`. */
  for(material: TlsMaterial, kind: "short" | "long"): HttpAgent {
    if (this.#current === undefined || !isSame(this.#current.material, material)) {
      if (this.#current !== undefined) retire(this.#current);
      this.#current = {
        material,
        short: this.#make(material, this.#options.connectionsMax),
        long: this.#make(material, Infinity),
      };
    }
    return this.#current[kind];
  }

  /** Closes every connection, idle or not. */
  close(): void {
    this.#current?.short.destroy();
    this.#current?.long.destroy();
    this.#current = undefined;
  }

  #make(material: TlsMaterial, maxSockets: number): HttpAgent {
    const { isSecure, serverName, insecureSkipVerify, dial } = this.#options;
    const common: AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: 15_000,
      maxSockets,
      maxFreeSockets: 16,
      scheduling: "lifo",
    };
    const agent = isSecure
      ? new HttpsAgent({
          ...common,
          ...(material.certificateAuthority === undefined ? {} : { ca: material.certificateAuthority }),
          ...(material.certificate === undefined
            ? {}
            : { cert: material.certificate.cert, key: material.certificate.key }),
          ...(serverName === undefined ? {} : { servername: serverName }),
          rejectUnauthorized: !insecureSkipVerify,
          minVersion: "TLSv1.2",
        })
      : new HttpAgent(common);
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

/** Closes what is idle now; what is in use closes when it is done, as nothing keeps it afterwards. */
function retire({ short, long }: Pair): void {
  for (const agent of [short, long]) {
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

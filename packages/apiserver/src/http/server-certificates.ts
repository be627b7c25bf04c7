import { type Clock, systemClock } from "@homeostat/core";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";

/** Whom a client's certificate speaks for. */
export interface ClientIdentity {
  readonly user: string;
  readonly group?: string;
}

/** The names by which an API server is known inside its cluster, and those of this machine. */
export const usualHosts: readonly string[] = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** The common name of the front-proxy certificate. */
export const frontProxyName = "front-proxy-client";

/** The certificate by which aggregated servers recognize this server. */
export interface FrontProxyIdentity {
  /** PEM of the authority that aggregated servers trust for `X-Remote-User` headers. */
  readonly ca: string;
  readonly client: KeyPair;
}

/** The user that may do everything. */
export const adminIdentity: ClientIdentity = { user: "kubernetes-admin", group: "system:masters" };

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Certificates of one server and its clients, in memory, under an authority of their own. Each is made when it is asked for
 * first.
 */
export class ServerCertificates {
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  readonly #validDays: number;
  readonly #clients = new Map<string, KeyPair>();
  readonly #clientAuthorities: string | undefined;
  #authority: KeyPair | undefined;
  #server: KeyPair | undefined;
  #frontProxy: FrontProxyIdentity | undefined;

  constructor({
    clock = systemClock,
    hosts = usualHosts,
    validDays = 365,
    authority,
    server,
    clientAuthorities,
  }: {
    readonly clock?: Clock;
    /** The names and addresses that the server's certificate is good for. */
    readonly hosts?: readonly string[];
    readonly validDays?: number;
    /** One that exists already, such as from an earlier start. */
    readonly authority?: KeyPair;
    /** A certificate for the server that somebody else made. */
    readonly server?: KeyPair | undefined;
    /** PEM of the authorities that vouch for clients. Default: this one. */
    readonly clientAuthorities?: string | undefined;
  } = {}) {
    this.#clock = clock;
    this.#hosts = hosts;
    this.#validDays = validDays;
    this.#authority = authority;
    this.#server = server;
    this.#clientAuthorities = clientAuthorities;
  }

  /** The authority, with its key. */
  get authority(): KeyPair {
    return (this.#authority ??= makeAuthority({ subject: { commonName: "homeostat-ca" }, ...this.#validity() }));
  }

  /** PEM of the authority, for clients. */
  get ca(): string {
    return this.authority.cert;
  }

  /** PEM of the authorities that vouch for clients. */
  get clientAuthorities(): string {
    return this.#clientAuthorities ?? this.ca;
  }

  /** The server's own certificate. */
  get server(): KeyPair {
    return (this.#server ??= issue(this.authority, {
      subject: { commonName: "homeostat-apiserver" },
      hosts: this.#hosts,
      usages: ["server"],
      ...this.#validity(),
    }));
  }

  /**
   * The identity with which the server forwards requests to aggregated servers.
   *
   * It has an authority of its own: a holder of a certificate of this authority may name any user to those servers.
   */
  get frontProxy(): FrontProxyIdentity {
    if (this.#frontProxy !== undefined) return this.#frontProxy;
    const authority = makeAuthority({ subject: { commonName: "front-proxy-ca" }, ...this.#validity() });
    const subject = { commonName: frontProxyName };
    const client = issue(authority, { subject, usages: ["client"], ...this.#validity() });
    return (this.#frontProxy = { ca: authority.cert, client });
  }

  /** The certificate of a client; the same one whenever the same identity is asked for. */
  client({ user, group }: ClientIdentity = adminIdentity): KeyPair {
    const key = JSON.stringify([user, group]);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const subject = { commonName: user, ...(group === undefined ? {} : { organization: group }) };
    const made = issue(this.authority, { subject, usages: ["client"], ...this.#validity() });
    this.#clients.set(key, made);
    return made;
  }

  /** Begins a day early, for clients whose clock is behind. */
  #validity(): { validFrom: Date; validUntil: Date } {
    const now = this.#clock.now();
    return { validFrom: new Date(now - dayMs), validUntil: new Date(now + this.#validDays * dayMs) };
  }
}

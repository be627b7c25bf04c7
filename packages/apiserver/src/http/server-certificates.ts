import { type Clock, systemClock } from "@homeostat/core";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";

/** User and group in a client certificate. */
export interface ClientIdentity {
  readonly user: string;
  readonly group?: string;
}

/** Host names of an API server inside its cluster, and those of this machine. */
export const usualHosts: readonly string[] = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** Common name of the front-proxy certificate. */
export const frontProxyName = "front-proxy-client";

/** The client certificate by which aggregated servers recognize this server. */
export interface FrontProxyIdentity {
  /** CA that aggregated servers trust for `X-Remote-User` headers, PEM. */
  readonly ca: string;
  readonly client: KeyPair;
}

/** The identity of the cluster administrator, who is authorized for everything. */
export const adminIdentity: ClientIdentity = { user: "kubernetes-admin", group: "system:masters" };

const dayMs = 24 * 60 * 60 * 1000;

/** Certificates of one server and its clients, in memory, signed by a CA of their own. Each is created on first use. */
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
    /** Host names and addresses in the server certificate. */
    readonly hosts?: readonly string[];
    readonly validDays?: number;
    /** Existing CA, such as from an earlier start. Default: a new one. */
    readonly authority?: KeyPair;
    /** Server certificate issued elsewhere. Default: one signed by the CA. */
    readonly server?: KeyPair | undefined;
    /** CAs for client certificates, PEM. Default: the CA of this object. */
    readonly clientAuthorities?: string | undefined;
  } = {}) {
    this.#clock = clock;
    this.#hosts = hosts;
    this.#validDays = validDays;
    this.#authority = authority;
    this.#server = server;
    this.#clientAuthorities = clientAuthorities;
  }

  /** CA certificate and key. */
  get authority(): KeyPair {
    return (this.#authority ??= makeAuthority({ subject: { commonName: "homeostat-ca" }, ...this.#validity() }));
  }

  /** CA certificate that clients must trust, PEM. */
  get ca(): string {
    return this.authority.cert;
  }

  /** CAs for client certificates, PEM. */
  get clientAuthorities(): string {
    return this.#clientAuthorities ?? this.ca;
  }

  /** Serving certificate. */
  get server(): KeyPair {
    return (this.#server ??= issue(this.authority, {
      subject: { commonName: "homeostat-apiserver" },
      hosts: this.#hosts,
      usages: ["server"],
      ...this.#validity(),
    }));
  }

  /**
   * Identity with which the server forwards requests to aggregated servers.
   *
   * It has a CA of its own: a client with a certificate of that CA can act as any user towards those servers, so
   * ordinary client certificates must not be signed by it.
   */
  get frontProxy(): FrontProxyIdentity {
    if (this.#frontProxy !== undefined) return this.#frontProxy;
    const authority = makeAuthority({ subject: { commonName: "front-proxy-ca" }, ...this.#validity() });
    const subject = { commonName: frontProxyName };
    const client = issue(authority, { subject, usages: ["client"], ...this.#validity() });
    return (this.#frontProxy = { ca: authority.cert, client });
  }

  /** Returns the certificate of a client; the same one for the same identity. */
  client({ user, group }: ClientIdentity = adminIdentity): KeyPair {
    const key = JSON.stringify([user, group]);
    const existing = this.#clients.get(key);
    if (existing !== undefined) return existing;
    const subject = { commonName: user, ...(group === undefined ? {} : { organization: group }) };
    const issued = issue(this.authority, { subject, usages: ["client"], ...this.#validity() });
    this.#clients.set(key, issued);
    return issued;
  }

  /** Returns a validity that starts one day ago, for clients whose clocks are behind. */
  #validity(): { validFrom: Date; validUntil: Date } {
    const now = this.#clock.now();
    return { validFrom: new Date(now - dayMs), validUntil: new Date(now + this.#validDays * dayMs) };
  }
}

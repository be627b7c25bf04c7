import { CertificateError } from "@homeostat/x509";
import { type PeerSubject, userOfCertificate, userOfPeer } from "./certificate-user.ts";
import { joinProblems } from "./go-quote.ts";
import { Refusal, unauthorized } from "./refusal.ts";
import type { ServiceAccountTokens, TokenHolder } from "./service-account-tokens.ts";
import type { StaticTokens } from "./static-tokens.ts";
import { anonymousUser, type User, withAuthenticatedGroup } from "./user.ts";

/** Paths that report only health and version, and that anonymous users may read by default. */
export const publicPaths: readonly string[] = ["/healthz", "/livez", "/readyz", "/version"];

/** Options of an {@link Authenticator}: the credentials it accepts. */
export interface AuthenticatorOptions {
  readonly staticTokens?: StaticTokens | undefined;
  readonly serviceAccounts?: ServiceAccountTokens | undefined;
  /**
   * Paths that need no credentials. Default: {@link publicPaths}. kube-apiserver allows anonymous requests `everywhere`
   * and leaves the decision to authorization.
   */
  readonly anonymous?: "everywhere" | readonly string[];
  /** Audiences of tokens meant for this server. */
  readonly apiAudiences: readonly string[];
}

/** The parts of a request that identify the client. */
export interface Credentials {
  /** Path without query. */
  readonly path: string;
  /** The `Authorization` header. */
  readonly authorization?: string | undefined;
  /** Client certificate: either DER bytes that the TLS layer has verified, or the subject that the TLS layer parsed. */
  readonly certificate?: Uint8Array | PeerSubject | undefined;
}

/** An authenticated or anonymous user. */
export interface Authenticated {
  readonly user: User;
  readonly warnings: readonly string[];
}

const noToken = "invalid bearer token";
const spaceWarning = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** Authenticates requests. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #anonymousPaths: ReadonlySet<string> | undefined;
  readonly apiAudiences: readonly string[];

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.apiAudiences = options.apiAudiences;
    const { anonymous = publicPaths } = options;
    this.#anonymousPaths = anonymous === "everywhere" ? undefined : new Set(anonymous);
  }

  /**
   * Authenticates a request, first by client certificate, then by bearer token. Invalid credentials result in a 401;
   * they are never treated as anonymous.
   */
  authenticate({ path, authorization = "", certificate }: Credentials): Authenticated | Refusal {
    const certificateIdentity = certificate === undefined ? undefined : certificateUser(certificate);
    if (certificateIdentity !== undefined && !(certificateIdentity instanceof Refusal))
      return { user: withAuthenticatedGroup(certificateIdentity), warnings: [] };
    const { token, warnings } = bearerOf(authorization);
    if (token !== "") {
      const holder = this.checkToken(token);
      if (typeof holder !== "string") return { user: holder.user, warnings };
      return unauthorized();
    }
    if (certificateIdentity !== undefined) return certificateIdentity;
    return this.isAnonymousAt(path) ? { user: anonymousUser, warnings } : unauthorized();
  }

  /** Reports whether a path may be requested without credentials. */
  isAnonymousAt(path: string): boolean {
    return this.#anonymousPaths === undefined || this.#anonymousPaths.has(path);
  }

  /** Returns the user of a token, or the reason why the token is invalid. */
  checkToken(token: string, audiences: readonly string[] = this.apiAudiences): TokenHolder | string {
    const { staticTokens, serviceAccounts } = this.#options;
    const staticUser = staticTokens?.find(token);
    // Static tokens are only valid for the audiences of this server.
    const matchingAudiences = this.apiAudiences.filter((audience) => audiences.includes(audience));
    if (staticUser !== undefined && (matchingAudiences.length > 0 || this.apiAudiences.length === 0)) {
      return { user: withAuthenticatedGroup(staticUser), audiences: matchingAudiences };
    }
    const holder = serviceAccounts?.check(token, audiences);
    if (holder === undefined) return noToken;
    // The real server first tries the token of its own loopback clients, and reports that error as well.
    if (typeof holder === "string") return joinProblems([noToken, holder]);
    return { user: withAuthenticatedGroup(holder.user), audiences: holder.audiences };
  }
}

function certificateUser(certificate: Uint8Array | PeerSubject): User | Refusal | undefined {
  if (!(certificate instanceof Uint8Array)) return certificate.isTrusted ? userOfPeer(certificate) : unauthorized();
  try {
    return userOfCertificate(certificate);
  } catch (error) {
    if (error instanceof CertificateError) return unauthorized();
    throw error;
  }
}

/** Returns the token of an `Authorization` header; empty if there is none. Text after the token is ignored. */
export function bearerOf(header: string): { token: string; warnings: string[] } {
  const [scheme = "", token = "", rest] = splitThree(header.trim());
  if (scheme.toLowerCase() !== "bearer") return { token: "", warnings: [] };
  return { token, warnings: token === "" && rest !== undefined ? [spaceWarning] : [] };
}

/** Splits a text at its first two spaces. */
function splitThree(text: string): string[] {
  const first = text.indexOf(" ");
  if (first === -1) return [text];
  const second = text.indexOf(" ", first + 1);
  if (second === -1) return [text.slice(0, first), text.slice(first + 1)];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

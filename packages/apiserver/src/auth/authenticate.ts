import { CertificateError } from "@homeostat/x509";
import { type PeerSubject, userOfCertificate, userOfPeer } from "./certificate-user.ts";
import { joinProblems } from "./go-quote.ts";
import { Refusal, unauthorized } from "./refusal.ts";
import type { ServiceAccountTokens, TokenHolder } from "./service-account-tokens.ts";
import type { StaticTokens } from "./static-tokens.ts";
import { anonymousUser, type User, withAuthenticatedGroup } from "./user.ts";

/** Paths that say how the server is and nothing else: the ones to be read by anybody. */
export const publicPaths: readonly string[] = ["/healthz", "/livez", "/readyz", "/version"];

/** Which credentials a server takes. */
export interface AuthenticatorOptions {
  readonly staticTokens?: StaticTokens | undefined;
  readonly serviceAccounts?: ServiceAccountTokens | undefined;
  /** Where one may come without credentials: {@link publicPaths} unless told otherwise. A real server says `everywhere`. */
  readonly anonymous?: "everywhere" | readonly string[];
  /** Whom tokens are for that are meant for this server. */
  readonly apiAudiences: readonly string[];
}

/** What a request shows of its sender. */
export interface Credentials {
  /** The path without its query. */
  readonly path: string;
  /** The header `Authorization`. */
  readonly authorization?: string | undefined;
  /** The client's certificate: as DER bytes, then only if the TLS layer has verified it; or what that layer read in it. */
  readonly certificate?: Uint8Array | PeerSubject | undefined;
}

/** Somebody who is known, or may come unknown. */
export interface Authenticated {
  readonly user: User;
  readonly warnings: readonly string[];
}

const noToken = "invalid bearer token";
const spaceWarning = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** Finds out who sends a request. */
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
   * Whoever a certificate names comes first, then whoever a token names. Wrong credentials are a 401 and never make
   * somebody anonymous.
   */
  authenticate({ path, authorization = "", certificate }: Credentials): Authenticated | Refusal {
    const named = certificate === undefined ? undefined : certificateUser(certificate);
    if (named !== undefined && !(named instanceof Refusal))
      return { user: withAuthenticatedGroup(named), warnings: [] };
    const { token, warnings } = bearerOf(authorization);
    if (token !== "") {
      const holder = this.checkToken(token);
      if (typeof holder !== "string") return { user: holder.user, warnings };
      return unauthorized();
    }
    if (named !== undefined) return named;
    return this.isAnonymousAt(path) ? { user: anonymousUser, warnings } : unauthorized();
  }

  /** Whether one may come to a path without credentials. */
  isAnonymousAt(path: string): boolean {
    return this.#anonymousPaths === undefined || this.#anonymousPaths.has(path);
  }

  /** Whom a token stands for, or why it is no good. */
  checkToken(token: string, audiences: readonly string[] = this.apiAudiences): TokenHolder | string {
    const { staticTokens, serviceAccounts } = this.#options;
    const known = staticTokens?.find(token);
    // These are for this server alone.
    const here = this.apiAudiences.filter((audience) => audiences.includes(audience));
    if (known !== undefined && (here.length > 0 || this.apiAudiences.length === 0)) {
      return { user: withAuthenticatedGroup(known), audiences: here };
    }
    const holder = serviceAccounts?.check(token, audiences);
    if (holder === undefined) return noToken;
    // The real server first looks whether it is a token of its own processes, and tells of that too.
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

/** The token in an `Authorization` header; empty when there is none. What follows the token is ignored. */
export function bearerOf(header: string): { token: string; warnings: string[] } {
  const [scheme = "", token = "", rest] = splitThree(header.trim());
  if (scheme.toLowerCase() !== "bearer") return { token: "", warnings: [] };
  return { token, warnings: token === "" && rest !== undefined ? [spaceWarning] : [] };
}

/** What stands before the first space, between it and the second, and after that. */
function splitThree(text: string): string[] {
  const first = text.indexOf(" ");
  if (first === -1) return [text];
  const second = text.indexOf(" ", first + 1);
  if (second === -1) return [text.slice(0, first), text.slice(first + 1)];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

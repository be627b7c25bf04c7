import { randomBytes as systemRandomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Connection, createClient } from "@homeostat/client";
import { ApiError, type Clock, isRecord, ownValue, parseBoundedJson, systemClock } from "@homeostat/core";
import { SelfSubjectReview } from "@homeostat/kubernetes/authentication/v1";
import { RequestError } from "../errors.ts";
import type { Login, TokenLogins } from "./access.ts";
import { cookieAttributes, cookieOf } from "./cookies.ts";
import { LoginLimiter } from "./login-limiter.ts";
import { isLoopbackHost } from "./loopback-names.ts";
import { openSession, sealSession, type TokenSession } from "./sealed-session.ts";

/** Options of {@link TokenLogin}. */
export interface TokenLoginOptions {
  /** Connection to the API server without credentials. */
  readonly connection: Connection;
  /** Returns the secret from which the key of cookies is derived. Replicas need the same. */
  readonly sessionKey: () => Buffer;
  /** Longest time between two logins, in milliseconds. */
  readonly sessionMsMax: number;
  /** True if the dashboard itself serves HTTPS. */
  readonly isHttps: boolean;
  readonly clock?: Clock | undefined;
  readonly randomBytes?: ((count: number) => Buffer) | undefined;
}

/** Tokens that are sent to the API server. */
const tokenPattern = /^[\w.~+/=-]{1,16384}$/;

/** Browsers ignore a cookie of more bytes. */
const cookieBytesMax = 4_096;
/** Time for the API server to check a token, in milliseconds. */
const checkMsMax = 10_000;

/**
 * Logins with tokens: the API server checks the token, and the browser keeps it in an encrypted cookie until it expires. Logging out removes the cookie;
 * the token itself stays valid until it expires.
 *
 * A cookie over HTTPS has the prefix `__Host-`: no other host can set it. Without HTTPS, logins are accepted on loopback names only, which are those of
 * a port-forward.
 */
export class TokenLogin implements TokenLogins {
  readonly #options: TokenLoginOptions;
  readonly #clock: Clock;
  readonly #limiter: LoginLimiter;

  constructor(options: TokenLoginOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limiter = new LoginLimiter(this.#clock);
  }

  async login(request: IncomingMessage, token: string, signal: AbortSignal): Promise<Login> {
    const address = request.socket.remoteAddress ?? "";
    const isSecure = this.#options.isHttps || (request.headers.origin ?? "").startsWith("https://");
    if (!isSecure && !isLoopbackHost(request.headers.host ?? "")) {
      const message =
        "A token must not be sent over HTTP. Open the page with https, or on localhost by a port-forward.";
      return { refusal: { status: 403, message } };
    }
    if (!tokenPattern.test(token)) return { refusal: invalidToken };
    if (!this.#limiter.begin(address)) {
      const message = "Too many logins have failed. Try again in a minute.";
      return { refusal: { status: 429, message } };
    }
    let user: string | undefined;
    let isChecked = false;
    try {
      user = await this.#userOf(token, signal);
      isChecked = true;
    } finally {
      if (user !== undefined || !isChecked) this.#limiter.forgive(address);
    }
    if (user === undefined) return { refusal: invalidToken };
    const now = this.#clock.now();
    const expiresAt = Math.min(expiryOf(token) ?? Infinity, now + this.#options.sessionMsMax);
    return this.#cookieFor(request, { session: { token, user, expiresAt }, isSecure });
  }

  logout(request: IncomingMessage): readonly string[] {
    const removed = (isSecure: boolean): string => `${formatCookie(request, "", isSecure)}; Max-Age=0`;
    return this.#options.isHttps ? [removed(true)] : [removed(true), removed(false)];
  }

  /** Returns the session in the cookie of a request; undefined if there is none, or it has expired. */
  sessionOf(request: IncomingMessage): TokenSession | undefined {
    const mayBePlain = !this.#options.isHttps && isLoopbackHost(request.headers.host ?? "");
    const sealed =
      cookieOf(request, cookieName(request, true)) ??
      (mayBePlain ? cookieOf(request, cookieName(request, false)) : undefined);
    const session = sealed === undefined ? undefined : openSession(sealed, this.#options.sessionKey());
    return session !== undefined && session.expiresAt > this.#clock.now() ? session : undefined;
  }

  #cookieFor(
    request: IncomingMessage,
    { session, isSecure }: { readonly session: TokenSession; readonly isSecure: boolean },
  ): Login {
    const { sessionKey, randomBytes = systemRandomBytes } = this.#options;
    const sealed = sealSession(session, { secret: sessionKey(), randomBytes });
    const seconds = Math.floor((session.expiresAt - this.#clock.now()) / 1_000);
    if (seconds <= 0) return { refusal: invalidToken };
    const cookie = `${formatCookie(request, sealed, isSecure)}; Max-Age=${seconds}`;
    if (cookie.length <= cookieBytesMax) return { cookie };
    const message = `The token is too long: browsers keep ${cookieBytesMax} bytes, and its cookie has ${cookie.length}. Use a token with fewer claims, or a proxy with single sign-on.`;
    return { refusal: { status: 400, message } };
  }

  /** Returns the user of a token; undefined if the API server does not accept it. */
  async #userOf(token: string, signal: AbortSignal): Promise<string | undefined> {
    using client = createClient({ ...this.#options.connection, identity: { token: { data: token } } });
    using timeout = this.#clock.timeout(checkMsMax);
    try {
      const { status } = await client.create(
        SelfSubjectReview,
        { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} },
        { signal: AbortSignal.any([signal, timeout.signal]) },
      );
      const name = status?.userInfo?.username;
      if (name === undefined)
        throw new RequestError(502, "The API server did not say to which user the token belongs.");
      return name === "system:anonymous" ? undefined : name;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    }
  }
}

const invalidToken = {
  status: 401,
  message: "The API server does not accept this token. It may have expired, or belong to another cluster.",
};

/**
 * Returns the name of the cookie. It contains the port of the request, because browsers send cookies to all ports of a host, such as those of two
 * port-forwards to two clusters.
 */
function cookieName({ headers }: IncomingMessage, isSecure: boolean): string {
  const port = /:(\d+)$/.exec(headers.host ?? "")?.[1];
  return `${isSecure ? "__Host-" : ""}homeostat-dashboard${port === undefined ? "" : `-${port}`}`;
}

function formatCookie(request: IncomingMessage, value: string, isSecure: boolean): string {
  return `${cookieName(request, isSecure)}=${value}; ${cookieAttributes}${isSecure ? "; Secure" : ""}`;
}

/** Returns the time at which a JSON Web Token expires, in milliseconds since 1970; undefined if it does not say so. The API server checks it. */
function expiryOf(token: string): number | undefined {
  const claims = token.split(".")[1] ?? "";
  try {
    const value = parseBoundedJson(Buffer.from(claims, "base64url"), {
      what: "token",
      bytesMax: 16_384,
      depthMax: 10,
      valuesMax: 1_000,
    });
    const seconds = isRecord(value) ? ownValue(value, "exp") : undefined;
    return typeof seconds === "number" ? seconds * 1_000 : undefined;
  } catch {
    // Not a JSON Web Token.
    return undefined;
  }
}

import type { IncomingMessage } from "node:http";
import { type Connection, createClient } from "@homeostat/client";
import type { Refusal } from "../api/types.ts";
import type { Access, Authentication, Session } from "./access.ts";
import { isSameSecret } from "./secrets.ts";
import { TokenLogin, type TokenLoginOptions } from "./token-login.ts";

/**
 * Headers in which a proxy in front of the dashboard passes the user whom it has authenticated. The proxy must replace the headers of clients. They count
 * only beside the secret of the proxy, so that clients that reach the dashboard itself cannot choose a user.
 */
export interface IdentityHeaders {
  readonly userHeader: string;
  /** Header with the groups of the user, separated by commas. */
  readonly groupsHeader?: string | undefined;
  readonly secretHeader: string;
  /** Returns the value of the secret header; undefined if there is none yet, so that identity headers are refused. */
  readonly secret: () => string | undefined;
}

/** Options of {@link clusterAccess}. */
export interface ClusterAccessOptions {
  /** Connection of the dashboard's own service account. Its credentials are used only to impersonate users of identity headers. */
  readonly connection: Connection;
  /** Default: identity headers are ignored. */
  readonly headers?: IdentityHeaders | undefined;
  /** Logins with tokens in a form. Default: bearer tokens in the header `Authorization` only. */
  readonly tokenLogin?: Omit<TokenLoginOptions, "connection"> | undefined;
}

/**
 * Authenticates users of a dashboard that runs in a cluster: by a bearer token, by the identity header of a proxy, or by a login with a token.
 *
 * Every request gets a client of its own: with the token of the user, or impersonating the user. The API server decides about each read and
 * write, and nothing is shared between users, not even a connection.
 */
export function clusterAccess({ connection, headers, tokenLogin }: ClusterAccessOptions): Access {
  const anonymous: Connection = { ...connection, identity: undefined, impersonate: undefined };
  const tokens = tokenLogin === undefined ? undefined : new TokenLogin({ ...tokenLogin, connection: anonymous });
  const withToken = (token: string): Connection => ({ ...anonymous, identity: { token: { data: token } } });
  return {
    tokens,
    authenticate(request: IncomingMessage): Authentication {
      const token = /^Bearer ([\w.~+/=-]{1,16384})$/i.exec(request.headers.authorization ?? "")?.[1];
      if (token !== undefined) return { session: sessionOf(withToken(token), { user: "", hasLogout: false }) };
      const fromProxy = headers === undefined ? undefined : impersonation(request, headers);
      if (fromProxy !== undefined && "refusal" in fromProxy) return fromProxy;
      if (fromProxy !== undefined) {
        const { user, groups } = fromProxy;
        const impersonate = { user, uid: undefined, groups, extra: new Map<string, readonly string[]>() };
        return { session: sessionOf({ ...connection, impersonate }, { user, hasLogout: false }) };
      }
      const session = tokens?.sessionOf(request);
      if (session !== undefined) {
        const { user, expiresAt } = session;
        return { session: sessionOf(withToken(session.token), { user, expiresAt, hasLogout: true }) };
      }
      return { refusal: unauthenticated({ headers, hasTokens: tokens !== undefined }) };
    },
  };
}

function sessionOf(connection: Connection, details: Pick<Session, "user" | "hasLogout" | "expiresAt">): Session {
  const client = createClient(connection);
  return { ...details, client, connection, [Symbol.dispose]: () => client.close() };
}

/** Returns the user whom a proxy has authenticated; undefined if the request names none. */
function impersonation(
  request: IncomingMessage,
  { userHeader, groupsHeader, secretHeader, secret }: IdentityHeaders,
): { readonly user: string; readonly groups: readonly string[] } | { readonly refusal: Refusal } | undefined {
  const user = headerOf(request, userHeader);
  if (user === "") return undefined;
  const expected = secret();
  if (expected === undefined) return { refusal: { status: 403, message: noProxySecret } };
  if (!isSameSecret(headerOf(request, secretHeader), expected)) {
    const message = `The request has the header ${userHeader}, but not the secret of the proxy in ${secretHeader}.`;
    return { refusal: { status: 403, message } };
  }
  const groups = groupsHeader === undefined ? [] : listOf(headerOf(request, groupsHeader));
  const reserved = [user, ...groups].find((name) => name.startsWith("system:"));
  // A proxy authenticates people. `system:masters` from a header would bypass all authorization.
  if (reserved !== undefined)
    return { refusal: { status: 403, message: `The identity header names ${reserved}, which is reserved.` } };
  return { user, groups };
}

const noProxySecret =
  "Identity headers are refused, because the dashboard has no secret of the proxy. Create the key proxy-secret in its Secret.";

function unauthenticated({
  headers,
  hasTokens,
}: {
  readonly headers: IdentityHeaders | undefined;
  readonly hasTokens: boolean;
}): Refusal {
  if (hasTokens) return { status: 401, message: "You are not logged in.", login: "token" };
  const message =
    headers === undefined
      ? "The request has no bearer token. Send the header Authorization: Bearer TOKEN."
      : `The request has no bearer token, and its header ${headers.userHeader} names no user.`;
  return { status: 401, message };
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" ? value.trim() : "";
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

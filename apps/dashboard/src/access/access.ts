import type { IncomingMessage } from "node:http";
import type { Client, Connection } from "@homeostat/client";
import type { Refusal } from "../api/types.ts";

/** An authenticated user: all reads and writes for the user go through its client. Disposing of it closes connections of its own. */
export interface Session extends Disposable {
  readonly client: Client;
  /** The connection of the client, for port-forwards. */
  readonly connection: Connection;
  /** Name of the user for the page; empty if it is not known. The API server decides who the user is. */
  readonly user: string;
  /** Time after which the session is not accepted, in milliseconds since 1970; undefined if it has no end. */
  readonly expiresAt?: number | undefined;
  /** True if the user can log out. */
  readonly hasLogout: boolean;
}

/** Result of authentication. */
export type Authentication = { readonly session: Session } | { readonly refusal: Refusal };

/** Response to a login or a login link. */
export type Login = { readonly cookie: string } | { readonly refusal: Refusal };

/** Logins with tokens of the cluster. */
export interface TokenLogins {
  /** Checks a token with the API server. Returns a cookie that contains it, encrypted. */
  login(request: IncomingMessage, token: string, signal: AbortSignal): Promise<Login>;
  /** Returns cookies that remove those of the session. */
  logout(request: IncomingMessage): readonly string[];
}

/** Authenticates requests. */
export interface Access {
  /** Returns the session of a request, or the reason why there is none. */
  authenticate(request: IncomingMessage): Authentication;
  /** Exchanges the token of a login link for a cookie. Undefined if there are no login links. */
  login?(token: string): Login;
  /** Logins with tokens. Undefined if there are none. */
  readonly tokens?: TokenLogins | undefined;
}

import type { IncomingMessage } from "node:http";
import type { Client, Connection } from "@homeostat/client";
import type { Refusal } from "../api/types.ts";

/** An authenticated user: all reads and writes for the user go through its client. Disposing of it closes connections of its own. */
export interface Session extends Disposable {
  readonly client: Client;
  /** The connection of the client, for port-forwards. */
  readonly connection: Connection;
}

/** Result of authentication. */
export type Authentication = { readonly session: Session } | { readonly refusal: Refusal };

/** Response to a login link. */
export type Login = { readonly cookie: string } | { readonly refusal: Refusal };

/** Authenticates requests. */
export interface Access {
  /** Returns the session of a request, or the reason why there is none. */
  authenticate(request: IncomingMessage): Authentication;
  /** Exchanges the token of a login link for a cookie. Undefined if there are no login links. */
  login?(token: string): Login;
}

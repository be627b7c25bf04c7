import type { IncomingMessage } from "node:http";
import { type Connection, createClient } from "@homeostat/client";
import type { Refusal } from "../api/types.ts";
import type { Access, Authentication, Session } from "./access.ts";

/** Options of {@link clusterAccess}. */
export interface ClusterAccessOptions {
  /** Connection of the dashboard's own service account. Its credentials are used only to impersonate users of identity headers. */
  readonly connection: Connection;
  /**
   * Header in which a proxy in front of the dashboard passes the name of the user it has authenticated. Default: bearer tokens only. Set it only if
   * every request passes the proxy, and the proxy replaces the header of clients: any client that reaches the dashboard itself can send it.
   */
  readonly userHeader?: string | undefined;
  /** Header with the groups of that user, separated by commas. */
  readonly groupsHeader?: string | undefined;
}

/**
 * Authenticates users of a dashboard that runs in a cluster: by a bearer token, or by the identity header of a proxy.
 *
 * Every request gets a client of its own: with the token of the user, or impersonating the user. The API server decides about each read and
 * write, and nothing is shared between users, not even a connection.
 */
export function clusterAccess({ connection, userHeader, groupsHeader }: ClusterAccessOptions): Access {
  const anonymous: Connection = { ...connection, identity: undefined, impersonate: undefined };
  return {
    authenticate(request: IncomingMessage): Authentication {
      const token = /^Bearer ([\w.~+/=-]{1,16384})$/i.exec(request.headers.authorization ?? "")?.[1];
      if (token !== undefined) return { session: sessionOf({ ...anonymous, identity: { token: { data: token } } }) };
      const user = userHeader === undefined ? "" : headerOf(request, userHeader);
      if (user === "") return { refusal: unauthenticated(userHeader) };
      const groups = groupsHeader === undefined ? [] : listOf(headerOf(request, groupsHeader));
      const reserved = [user, ...groups].find((name) => name.startsWith("system:"));
      // A proxy authenticates people. `system:masters` from a header would bypass all authorization.
      if (reserved !== undefined)
        return { refusal: { status: 403, message: `The identity header names ${reserved}, which is reserved.` } };
      const impersonate = { user, uid: undefined, groups, extra: new Map<string, readonly string[]>() };
      return { session: sessionOf({ ...connection, impersonate }) };
    },
  };
}

function sessionOf(connection: Connection): Session {
  const client = createClient(connection);
  return { client, connection, [Symbol.dispose]: () => client.close() };
}

function unauthenticated(userHeader: string | undefined): Refusal {
  const message =
    userHeader === undefined
      ? "The request has no bearer token. Send the header Authorization: Bearer TOKEN."
      : `The request has no bearer token, and its header ${userHeader} names no user.`;
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

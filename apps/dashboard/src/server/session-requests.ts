import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authentication, TokenLogins } from "../access/access.ts";
import type { SessionView } from "../api/types.ts";
import { readBody } from "./read-body.ts";
import { textOf } from "./requested-object.ts";
import { sendJson } from "./responses.ts";

/** A request with its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** Responds to `POST /api/login` and `POST /api/logout`. Returns false for other paths, and if there are no logins with tokens. */
export async function respondToLogin(
  tokens: TokenLogins | undefined,
  pathname: string,
  { request, response, signal }: Exchange,
): Promise<boolean> {
  if (tokens === undefined || request.method !== "POST") return false;
  if (pathname === "/api/logout") {
    response.setHeader("set-cookie", tokens.logout(request));
    sendJson(response, 200, {});
    return true;
  }
  if (pathname !== "/api/login") return false;
  const token = textOf(await readBody(request), "token") ?? "";
  const login = await tokens.login(request, token.trim(), signal);
  if ("cookie" in login) {
    response.setHeader("set-cookie", login.cookie);
    sendJson(response, 200, {});
  } else sendJson(response, login.refusal.status, login.refusal);
  return true;
}

/** Returns the user of a request for the page, also without a session: a login is not an error. */
export function sessionView(authentication: Authentication): SessionView {
  if ("session" in authentication) {
    using session = authentication.session;
    return { user: session.user, hasLogout: session.hasLogout };
  }
  const { login, message } = authentication.refusal;
  return { user: "", hasLogout: false, ...(login === "token" && { loginMessage: message }) };
}

import { ApiError, ArgumentError, DeadlineError, NetworkError } from "@homeostat/core";
import { CredentialsError, MalformedResponseError } from "@homeostat/client";
import type { Refusal } from "../api/types.ts";
import type { Session } from "../access/access.ts";
import { RequestError } from "../errors.ts";

/** Returns the response to a request that failed; undefined for an unexpected error, which is a bug. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof RequestError)
    return { status: error.status, message: error.message, ...(error.login && { login: error.login }) };
  if (error instanceof ApiError) return { status: error.status, message: error.message };
  if (error instanceof ArgumentError) return { status: 400, message: error.message };
  if (error instanceof DeadlineError) return { status: 504, message: "The API server did not respond in time." };
  if (error instanceof NetworkError || error instanceof MalformedResponseError || error instanceof CredentialsError)
    return { status: 502, message: error.message };
  return undefined;
}

/** Returns the error of a request of a session: if the API server no longer accepts the token of a login, one that asks for another login. */
export function sessionError(error: unknown, { hasLogout }: Pick<Session, "hasLogout">): unknown {
  return hasLogout && error instanceof ApiError && error.status === 401
    ? new RequestError(401, "The API server no longer accepts your token. Log in again.", {
        cause: error,
        login: "token",
      })
    : error;
}

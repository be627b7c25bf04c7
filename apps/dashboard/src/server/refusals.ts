import { ApiError, ArgumentError, DeadlineError, NetworkError } from "@homeostat/core";
import { CredentialsError, MalformedResponseError } from "@homeostat/client";
import type { Refusal } from "../api/types.ts";
import { RequestError } from "../errors.ts";

/** Returns the response to a request that failed; undefined for an unexpected error, which is a bug. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof RequestError) return { status: error.status, message: error.message };
  if (error instanceof ApiError) return { status: error.status, message: error.message };
  if (error instanceof ArgumentError) return { status: 400, message: error.message };
  if (error instanceof DeadlineError) return { status: 504, message: "The API server did not respond in time." };
  if (error instanceof NetworkError || error instanceof MalformedResponseError || error instanceof CredentialsError)
    return { status: 502, message: error.message };
  return undefined;
}

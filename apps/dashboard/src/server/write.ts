import type { Session } from "../access/access.ts";
import type { ApiContext } from "./views.ts";

/** A request for a write. */
export interface WriteRequest {
  readonly body: unknown;
  readonly session: Session;
  readonly context: ApiContext;
  readonly signal: AbortSignal;
}

/** Sends a write with the rights of the user. Returns the body of the response. Throws a `RequestError` if the request is not valid. */
export type Write = (request: WriteRequest) => Promise<object>;

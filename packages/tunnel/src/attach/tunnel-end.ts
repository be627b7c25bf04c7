import type { Bye } from "../handshake/messages.ts";
import type { SessionEnd } from "../mux/session.ts";

/** The end of a tunnel, as its client sees it. */
export interface TunnelEnd {
  /** One of `ByeReason`, a reason of a newer server, or `Lost` if the connection ended without a message. */
  readonly reason: string;
  /** Details for the user; may be empty. */
  readonly detail: string;
  /** False if the client must not attach again: the LocalWorkload was deleted, access was revoked, another connection replaced this one, or the client left. */
  readonly retry: boolean;
}

/** Returns the end of a tunnel whose session has ended, from the last message of the server if there was one. */
export function tunnelEndOf(end: SessionEnd, bye: Bye | undefined): TunnelEnd {
  return bye === undefined
    ? { reason: "Lost", detail: sessionEndText(end), retry: true }
    : { reason: bye.reason, detail: bye.detail, retry: bye.retry };
}

/** Returns the end of a session in words. */
export function sessionEndText(end: SessionEnd): string {
  switch (end.reason) {
    case "closed":
      return "the connection was closed";
    case "go-away":
      return `the peer ended the session with code ${end.code}`;
    case "protocol":
      return end.error.message;
    case "silent":
      return "the peer sent nothing for too long";
    case "stalled":
      return "the connection took no data for too long";
    case "connection":
      return end.error === undefined ? "the connection ended" : `the connection failed: ${end.error.message}`;
  }
}

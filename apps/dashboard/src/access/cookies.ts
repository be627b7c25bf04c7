import type { IncomingMessage } from "node:http";

/** Returns the value of a cookie; undefined if the request does not have it. */
export function cookieOf({ headers }: Pick<IncomingMessage, "headers">, name: string): string | undefined {
  for (const part of (headers.cookie ?? "").split(";")) {
    const [key = "", value] = part.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}

/** Attributes of all cookies: scripts cannot read them, and browsers do not send them with requests that another site causes. */
export const cookieAttributes = "Path=/; HttpOnly; SameSite=Strict";

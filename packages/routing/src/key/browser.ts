// Sources of a key for browsers, which cannot set headers of a page or a WebSocket. Only the gateway reads them.

import { readCookies } from "../request/cookies.ts";
import { readParameter } from "../request/query-parameters.ts";
import type { HeaderSource } from "../request/request-view.ts";
import { decodeBaggageValue } from "./baggage.ts";

/** Name of the cookie with the key. */
export const keyCookie = "sandbox-routing-key";
/** Name of the query parameter with the key. */
export const keyParameter = "routing-key";

/** Returns the value of the first cookie with the key, or undefined. */
export function readKeyCookie(headers: HeaderSource): string | undefined {
  return readCookies(headers, keyCookie)[0];
}

/** Returns the decoded value of the first query parameter with the key, or undefined. */
export function readKeyParameter(path: string): string | undefined {
  const value = readParameter(path, keyParameter);
  return value === undefined ? undefined : decodeBaggageValue(value);
}

// Sources of a key for browsers, which cannot set headers of a page or a WebSocket. Only the gateway reads them.

import { joinedValue, sliceTrimmed } from "../request/header-value.ts";
import type { HeaderSource } from "../request/request-view.ts";
import { decodeBaggageValue } from "./baggage.ts";

/** Name of the cookie with the key. */
export const keyCookie = "sandbox-routing-key";
/** Name of the query parameter with the key. */
export const keyParameter = "routing-key";

/** Returns the value of the first cookie with the key, or undefined. */
export function readKeyCookie(headers: HeaderSource): string | undefined {
  // HTTP/2 clients may split cookies into several fields.
  const cookies = joinedValue(headers, "cookie", "; ");
  if (cookies === undefined || !cookies.includes(keyCookie)) return undefined;
  const cookie = cookies.split(";").find((each) => cookieName(each) === keyCookie);
  return cookie === undefined ? undefined : sliceTrimmed(cookie, cookie.indexOf("=") + 1, cookie.length);
}

/** Returns a `cookie` header without the cookie of the key; undefined if nothing is left. Other cookies keep their bytes. */
export function withoutKeyCookie(cookies: string): string | undefined {
  const kept = cookies.split(";").filter((each) => cookieName(each) !== keyCookie);
  const text = kept.join(";");
  return text.trim() === "" ? undefined : sliceTrimmed(text, 0, text.length);
}

function cookieName(cookie: string): string | undefined {
  const end = cookie.indexOf("=");
  return end === -1 ? undefined : sliceTrimmed(cookie, 0, end);
}

/** Returns the decoded value of the first query parameter with the key, or undefined. */
export function readKeyParameter(path: string): string | undefined {
  const start = path.indexOf("?");
  if (start === -1 || !path.includes(keyParameter, start)) return undefined;
  const found = queryOf(path, start).find(isKeyParameter);
  return found === undefined ? undefined : decodeBaggageValue(found.slice(keyParameter.length + 1));
}

/** Returns path and query without the parameter of the key. Other parameters keep their bytes. */
export function withoutKeyParameter(path: string): string {
  const start = path.indexOf("?");
  if (start === -1 || !path.includes(keyParameter, start)) return path;
  const parameters = queryOf(path, start);
  const kept = parameters.filter((each) => !isKeyParameter(each));
  if (kept.length === parameters.length) return path;
  return `${path.slice(0, start)}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
}

function queryOf(path: string, start: number): string[] {
  const fragment = path.indexOf("#", start);
  return path.slice(start + 1, fragment === -1 ? path.length : fragment).split("&");
}

function isKeyParameter(parameter: string): boolean {
  return parameter.startsWith(`${keyParameter}=`) || parameter === keyParameter;
}

import { joinedValue, sliceTrimmed } from "./header-value.ts";
import type { HeaderSource } from "./request-view.ts";

/** Returns the values of all cookies with a name, in order. */
export function readCookies(headers: HeaderSource, name: string): readonly string[] {
  // HTTP/2 clients may split cookies into several fields.
  const cookies = joinedValue(headers, "cookie", "; ");
  if (cookies === undefined || !cookies.includes(name)) return [];
  return cookies
    .split(";")
    .filter((each) => cookieName(each) === name)
    .map((each) => sliceTrimmed(each, each.indexOf("=") + 1, each.length));
}

/** Returns a `cookie` header without the cookies of these names; undefined if nothing is left. Other cookies keep their bytes. */
export function withoutCookies(cookies: string, names: readonly string[]): string | undefined {
  const kept = cookies.split(";").filter((each) => !names.includes(cookieName(each) ?? ""));
  const text = kept.join(";");
  return text.trim() === "" ? undefined : sliceTrimmed(text, 0, text.length);
}

function cookieName(cookie: string): string | undefined {
  const end = cookie.indexOf("=");
  return end === -1 ? undefined : sliceTrimmed(cookie, 0, end);
}

import { parseHttpDate } from "../time/http-date.ts";

/** The maximum wait that a server can ask for: a day. */
const retryAfterMsMax = 24 * 60 * 60 * 1000;

/** Headers of a response by name, as Node returns them. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns how long a server asks to wait with its `Retry-After` header, in milliseconds. The header is a number of seconds or a date.
 *
 * A date is compared with the `Date` header of the same response, because both come from the server's clock. Without that header,
 * `now` is required, the local time of day in milliseconds. Returns undefined for an invalid header, and at most a day.
 */
export function readRetryAfter(headers: ResponseHeaders | undefined, now?: number): number | undefined {
  const text = headerText(headers, "retry-after");
  if (/^\d+$/.test(text)) return clampDelay(Number(text) * 1000);
  const serverTime = parseHttpDate(headerText(headers, "date"), now ?? 0) ?? now;
  if (serverTime === undefined) return undefined;
  const date = parseHttpDate(text, serverTime);
  return date === undefined ? undefined : clampDelay(Math.max(0, date - serverTime));
}

/** Limits the delay that a server asks for to a day. */
export function clampDelay(ms: number): number {
  return Math.min(ms, retryAfterMsMax);
}

function headerText(headers: ResponseHeaders | undefined, header: string): string {
  const name = Object.keys(headers ?? {}).find((key) => key.toLowerCase() === header);
  const value = name === undefined ? undefined : headers?.[name];
  return (typeof value === "string" ? value : value?.[0])?.trim() ?? "";
}

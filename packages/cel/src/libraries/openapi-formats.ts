/*
 * String formats that expressions (`format.uuid()`) and schemas (`format: uuid`) share, as in the API server.
 */

import { daysInMonth } from "@homeostat/core";
import { checkUrl } from "./url-parse.ts";

/** Reports whether a string has the format `uuid`, in upper or lower case, with or without dashes. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

/** Reports whether a string has the format `byte`: padded base64, not empty. */
export function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Reports whether a string has the format `date`: a day of the Gregorian calendar, such as `2024-02-29`. */
export function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? [];
  return day > "00" && Number(day) <= daysInMonth(Number(year), Number(month));
}

/**
 * Reports whether a string has the format `date-time`: a date, a time and a zone.
 *
 * As in the API server, this is more lenient than RFC 3339: case does not matter, any character may precede the fraction, the offset
 * is not checked, and everything after a second `t` is ignored.
 */
export function isDateTime(text: string): boolean {
  // Fast path for the usual form.
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/.test(text)) {
    return isDate(text.slice(0, 10));
  }
  const [date = "", clock] = text.split(/t/i, 2);
  if (clock === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})$/u.exec(clock);
  const [, hours = "99", minutes = "99", seconds = "99"] = parts ?? [];
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** Reports whether a string has the format `uri`: an absolute URI, or a path that starts with a slash. `#` has no meaning. */
export function isUri(text: string): boolean {
  // Fast path for the usual form.
  return /^https?:\/\/[a-zA-Z0-9.-]+(?::[0-9]+)?(?:\/[\w.~/-]*)?$/.test(text) || checkUrl(text) === undefined;
}

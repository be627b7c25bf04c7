/*
 * Formats of texts that expressions (`format.uuid()`) and schemas (`format: uuid`) check alike: the API server has one
 * implementation for both, and so have we.
 */

import { daysInMonth } from "@homeostat/core";
import { checkUrl } from "./url-parse.ts";

/** Whether a text has the format `uuid`, in either case, with or without dashes. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

/** Whether a text has the format `byte`: base64 with padding, and not empty. */
export function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Whether a text has the format `date`: a day of the Gregorian calendar, as `2024-02-29`. */
export function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? [];
  return day > "00" && Number(day) <= daysInMonth(Number(year), Number(month));
}

/**
 * Whether a text has the format `date-time`: a date, a time and a zone.
 *
 * Looser than RFC 3339, as the API server is: case does not matter, any character may come before the fraction, the
 * offset is not looked into, and what follows a second `t` is ignored.
 */
export function isDateTime(text: string): boolean {
  // The form nearly every time has, which needs no taking apart.
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/.test(text)) {
    return isDate(text.slice(0, 10));
  }
  const [date = "", clock] = text.split(/t/i, 2);
  if (clock === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})$/u.exec(clock);
  const [, hours = "99", minutes = "99", seconds = "99"] = parts ?? [];
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** Whether a text has the format `uri`: an absolute URI, or a path that begins with a slash. `#` has no meaning. */
export function isUri(text: string): boolean {
  // The form nearly every URI has.
  return /^https?:\/\/[a-zA-Z0-9.-]+(?::[0-9]+)?(?:\/[\w.~/-]*)?$/.test(text) || checkUrl(text) === undefined;
}

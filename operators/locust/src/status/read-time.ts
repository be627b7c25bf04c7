import { ParseError, parseTime } from "@homeostat/core";

/** A time of a status in milliseconds since 1970; undefined when there is none that can be read. */
export function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

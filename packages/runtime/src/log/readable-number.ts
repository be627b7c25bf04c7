/** 1 January 2001 in milliseconds: a smaller number in a field named like a time is not one. */
const timesFrom = 978_307_200_000;

/**
 * Returns a number of a log or debug page in readable form: durations (`inMs`, `ms`) as whole milliseconds, times
 * (`nextRetryAt`, `until`) in ISO 8601. Other numbers are returned unchanged.
 */
export function readableNumber(name: string, value: number): number | string {
  if (!Number.isFinite(value)) return String(value);
  if (/(?:Ms|^ms)$/.test(name)) return Math.round(value);
  const isTime = /(?:At|^at|^until|Until)$/.test(name) && value >= timesFrom && value <= 8.64e15;
  return isTime ? new Date(value).toISOString() : value;
}

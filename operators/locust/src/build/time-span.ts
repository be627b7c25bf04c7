const form = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?/;

/**
 * The seconds that a time span of Locust's stands for: `90`, `1h30m`, `2m30s`; undefined for what Locust would refuse.
 *
 * What follows the last part is ignored, as Locust does: `5m30` is five minutes.
 */
export function parseTimeSpan(text: string): number | undefined {
  if (/^\d+$/.test(text)) return finite(Number(text));
  const [, hours, minutes, seconds] = form.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return undefined;
  return finite(Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0));
}

function finite(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}

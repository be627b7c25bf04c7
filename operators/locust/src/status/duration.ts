/** A span of time as it is shown: `2m30s`, `45s`, `1h`. Whole seconds; what is less is dropped. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = whole % 60;
  const parts = [hours > 0 ? `${hours}h` : "", minutes > 0 ? `${minutes}m` : "", rest > 0 ? `${rest}s` : ""];
  return parts.join("") || "0s";
}

/** Reads what {@link formatSeconds} shows; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const [whole, hours, minutes, seconds] = /^(?:(\d{1,9})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?$/.exec(text) ?? [];
  if (whole === undefined || whole === "") return undefined;
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

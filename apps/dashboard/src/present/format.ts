/** Returns a duration in its largest unit: `12 s`, `5 min`, `3 h`, `2 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Returns the age of a time in RFC 3339; empty if there is no time. A time in the future, by clocks that differ, counts as now. */
export function formatAge(time: string, now: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? "" : formatDuration(now - at);
}

/** Returns the time until a time in RFC 3339: `in 12 s`, or `now` if it is over. */
export function formatUntil(time: string, now: number): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return "";
  return at <= now ? "now" : `in ${formatDuration(at - now)}`;
}

/** Returns a duration of a request or a reconcile: `3 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Returns a number of bytes: `900 B`, `12 KB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

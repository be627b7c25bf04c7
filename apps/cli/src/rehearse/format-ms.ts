/** Returns a duration: `45s`, `3m20s`, `2h5m`. */
export function formatMs(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const parts = [
    { count: hours, unit: "h" },
    { count: minutes, unit: "m" },
    // Seconds do not matter after hours.
    { count: hours > 0 ? 0 : seconds % 60, unit: "s" },
  ].filter(({ count }) => count > 0);
  return parts.length === 0 ? "0s" : parts.map(({ count, unit }) => `${count}${unit}`).join("");
}

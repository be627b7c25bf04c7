const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Returns the milliseconds of a duration such as `90s`, `1h30m` or `2d`; a number alone is seconds. Undefined if it is not a duration. */
export function durationMsOf(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  if (text.length > 32 || !/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0);
  }
  return sum;
}

/** Returns a duration as text with its two largest units, such as `2d 3h`. */
export function durationText(ms: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const;
  let rest = Math.max(0, Math.floor(ms / 1_000) * 1_000);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.join("") || "0s";
}

import { quote } from "@homeostat/cel";
import { daysInMonth, once } from "@homeostat/core";

const layout = "2006-01-02T15:04:05Z07:00";
const elements: readonly (readonly [form: RegExp, name: string])[] = [
  [/^[0-9]{4}/, "2006"],
  [/^-/, "-"],
  [/^[0-9]{2}/, "01"],
  [/^-/, "-"],
  [/^[0-9]{2}/, "02"],
  [/^T/, "T"],
  [/^[0-9]{1,2}/, "15"],
  [/^:/, ":"],
  [/^[0-9]{2}/, "04"],
  [/^:/, ":"],
  [/^[0-9]{2}(?:[.,][0-9]+)?/, "05"],
  [/^(?:Z|[+-][0-9]{2}:[0-9]{2})/, "Z07:00"],
];

/**
 * Normalizes an RFC 3339 time to UTC with whole seconds, as stored objects have it, or returns the problem as Go words it.
 *
 * The problem is built when it is read first: it quotes the text, which is slow for megabytes, and often nothing reads it.
 */
export function normalizeTime(text: string): { readonly time: string } | { readonly problem: string } {
  const parts: string[] = [];
  let rest = text;
  for (const [form, name] of elements) {
    const part = form.exec(rest)?.[0];
    if (part === undefined) {
      const left = rest;
      return lazy(() => `${parsing(text)} as ${quote(layout)}: cannot parse ${quote(left)} as ${quote(name)}`);
    }
    parts.push(part);
    rest = rest.slice(part.length);
  }
  if (rest !== "") return lazy(() => `${parsing(text)}: extra text: ${quote(rest)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = [0, 2, 4, 6, 8, 10].map((index) =>
    Number.parseInt(parts[index] ?? "", 10),
  );
  const outOfRange = firstOutOfRange([
    ["month", month >= 1 && month <= 12],
    ["day", day >= 1 && day <= daysInMonth(year, month)],
    ["hour", hour <= 23],
    ["minute", minute <= 59],
    ["second", second <= 59],
  ]);
  if (outOfRange !== undefined) return lazy(() => `${parsing(text)}: ${outOfRange} out of range`);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offsetMinutes(parts.at(-1) ?? "Z"), second);
  return { time: date.toISOString().replace(/\.[0-9]+Z$/, "Z") };
}

function parsing(text: string): string {
  return `parsing time ${quote(text)}`;
}

function lazy(describe: () => string): { readonly problem: string } {
  const problem = once(describe);
  return {
    get problem() {
      return problem();
    },
  };
}

function firstOutOfRange(checks: readonly (readonly [name: string, isRight: boolean])[]): string | undefined {
  return checks.find(([, isRight]) => !isRight)?.[0];
}

function offsetMinutes(zone: string): number {
  if (zone === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith("-") ? -minutes : minutes;
}

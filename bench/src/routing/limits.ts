import type { SubjectName } from "./subjects.ts";

/** Measured CPU time by subject, in nanoseconds per operation. */
export type CpuTimes = Readonly<Record<SubjectName, number>>;

/** A limit of a measured value. */
export interface Limit {
  readonly name: string;
  readonly value: number;
  readonly max: number;
  readonly unit: "ns" | "×";
}

/**
 * Returns the limits with their measured values.
 *
 * The same key must cost the same in both tables. Requests with any of 20,000 keys cost more, because routes that were not used lately are read
 * from memory instead of the processor's cache; this growth ends with the cache, so it has an absolute limit only.
 */
export function limitsOf(times: CpuTimes): readonly Limit[] {
  const first = times["decide by key, 1 entry"];
  const same = times["decide by key, 20,000 entries, the same key"];
  const any = times["decide by key, 20,000 entries, any key"];
  return [
    { name: "decide by key, 20,000 entries, any key", value: any, max: 5000, unit: "ns" },
    { name: "20,000 entries to 1, the same key", value: same / first, max: 1.5, unit: "×" },
    {
      name: "scan 1 KiB of baggage with the key",
      value: times["scan 1 KiB of baggage with the key at its end"],
      max: 1000,
      unit: "ns",
    },
    { name: "scan 1 KiB of baggage", value: times["scan 1 KiB of baggage without a key"], max: 1000, unit: "ns" },
  ];
}

/** Formats a limit and its value as a line. */
export function formatLimit({ name, value, max, unit }: Limit): string {
  const digits = unit === "ns" ? 0 : 2;
  const mark = value > max ? "OVER" : "ok";
  return `${mark.padEnd(5)}${name}: ${value.toFixed(digits)} ${unit}, limit ${max} ${unit}`;
}

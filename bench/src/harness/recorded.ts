import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const recordedPath = fileURLToPath(new URL("../../recorded.json", import.meta.url));

/**
 * Ratios by the name of the case: of a microbenchmark, such as `core/equality: two equal copies`, the time of one operation divided by the yardstick;
 * of a comparison of operators, our number divided by that of the other operator.
 */
export type RecordedRatios = Readonly<Record<string, number>>;

/** Recorded and measured ratio of one case. */
export interface Change {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  /** Measured divided by recorded: more than 1 is slower. */
  readonly factor: number;
}

/** Comparison of measured with recorded ratios. */
export interface Comparison {
  readonly worse: readonly Change[];
  readonly better: readonly Change[];
  readonly same: readonly Change[];
  /** Cases without a recorded ratio. */
  readonly unknown: readonly string[];
}

/** Compares ratios. `tolerance` is the allowed difference in both directions, for example 0.35. */
export function compare(recorded: RecordedRatios, measured: RecordedRatios, tolerance: number): Comparison {
  const worse: Change[] = [];
  const better: Change[] = [];
  const same: Change[] = [];
  const unknown: string[] = [];
  for (const [name, now] of Object.entries(measured)) {
    const before = Object.hasOwn(recorded, name) ? recorded[name] : undefined;
    if (before === undefined || !(before > 0)) {
      unknown.push(name);
      continue;
    }
    const change = { name, before, now, factor: now / before };
    if (change.factor > 1 + tolerance) worse.push(change);
    else if (change.factor < 1 / (1 + tolerance)) better.push(change);
    else same.push(change);
  }
  return { worse, better, same, unknown };
}

/** Formats the comparison, with the slower cases last. */
export function formatComparison({ worse, better, same, unknown }: Comparison, tolerance: number): string {
  const line = ({ name, before, now, factor }: Change): string =>
    `  ${factor.toFixed(2)}×  ${name}  (${before.toPrecision(3)} → ${now.toPrecision(3)} yardsticks)`;
  const lines = [
    `${same.length} of ${same.length + better.length + worse.length} match the recorded ratios within ${tolerance * 100} %`,
  ];
  if (unknown.length > 0) lines.push("not recorded:", ...unknown.map((name) => `  ${name}`));
  if (better.length > 0) lines.push("better:", ...better.map(line));
  if (worse.length > 0) lines.push("WORSE:", ...worse.map(line));
  return lines.join("\n");
}

/** Parses the recorded ratios. Throws for an invalid file. */
export function readRecorded(text: string): RecordedRatios {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("bench/recorded.json is not a JSON object.");
  const wrong = Object.entries(value).find(([, ratio]) => typeof ratio !== "number");
  if (wrong !== undefined) throw new Error(`bench/recorded.json has no number for ${wrong[0]}.`);
  return value as RecordedRatios;
}

/** Reads bench/recorded.json. */
export function loadRecorded(): RecordedRatios {
  return existsSync(recordedPath) ? readRecorded(readFileSync(recordedPath, "utf8")) : {};
}

/** Adds ratios to bench/recorded.json, or replaces them. */
export function saveRecorded(ratios: RecordedRatios): void {
  const merged = { ...loadRecorded(), ...ratios };
  const sorted = Object.keys(merged)
    .sort()
    .map((key) => [key, Number((merged[key] ?? 0).toPrecision(3))]);
  writeFileSync(recordedPath, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  console.log(`Recorded ${Object.keys(ratios).length} ratios in bench/recorded.json`);
}

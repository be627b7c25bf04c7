/** How long one operation takes as a part of the yardstick, by the name of the case: `core/equality: two equal copies`. */
export type RecordedRatios = Readonly<Record<string, number>>;

/** One case, then and now. */
export interface Change {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  /** Now divided by before: more than 1 is slower. */
  readonly factor: number;
}

/** What a run says against what was recorded. */
export interface Comparison {
  readonly worse: readonly Change[];
  readonly better: readonly Change[];
  readonly same: readonly Change[];
  /** Measured, but never recorded. */
  readonly unknown: readonly string[];
}

/** Compares ratios. `tolerance` is the part by which one may be off either way: 0.35. */
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

/** The comparison in words, the bad news last. */
export function formatComparison({ worse, better, same, unknown }: Comparison, tolerance: number): string {
  const line = ({ name, before, now, factor }: Change): string =>
    `  ${factor.toFixed(2)}×  ${name}  (${before.toPrecision(3)} → ${now.toPrecision(3)} yardsticks)`;
  const lines = [
    `${same.length} of ${same.length + better.length + worse.length} as recorded, within ${tolerance * 100} %`,
  ];
  if (unknown.length > 0) lines.push("not recorded:", ...unknown.map((name) => `  ${name}`));
  if (better.length > 0) lines.push("better:", ...better.map(line));
  if (worse.length > 0) lines.push("WORSE:", ...worse.map(line));
  return lines.join("\n");
}

/** Reads the file of recorded ratios. Throws when it is none. */
export function readRecorded(text: string): RecordedRatios {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("bench/recorded.json is no map.");
  const wrong = Object.entries(value).find(([, ratio]) => typeof ratio !== "number");
  if (wrong !== undefined) throw new Error(`bench/recorded.json has no number for ${wrong[0]}.`);
  return value as RecordedRatios;
}

/** A value with the limits that it must and should keep. */
export interface Goal {
  readonly item: string;
  readonly unit: "ratio" | "%" | "MiB" | "KiB" | "MB/s" | "ms";
  /** Direction in which values improve. */
  readonly better: "larger" | "smaller";
  readonly must?: number | undefined;
  readonly stretch?: number | undefined;
  /** Undefined if the run has not measured it, or the other program is not installed. */
  readonly value: number | undefined;
}

/** Reports whether a value keeps a limit. */
export function keeps({ better, value }: Goal, limit: number): boolean {
  return value === undefined || (better === "larger" ? value >= limit : value <= limit);
}

/** Returns the goals that must be kept and are not. */
export function missed(goals: readonly Goal[]): readonly Goal[] {
  return goals.filter((goal) => goal.must !== undefined && !keeps(goal, goal.must));
}

/** Formats a goal as a line of text. */
export function formatGoal(goal: Goal): string {
  return `${goal.item}: ${format(goal, goal.value)}, must be ${limit(goal, goal.must)}`;
}

/** Formats the goals that were measured as a table in Markdown. */
export function goalTable(goals: readonly Goal[]): string {
  const rows = goals
    .filter(({ value }) => value !== undefined)
    .map((goal) => {
      const isMissed = goal.must !== undefined && !keeps(goal, goal.must);
      const isStretch = goal.stretch !== undefined && keeps(goal, goal.stretch);
      const verdict = goal.must === undefined ? "" : isMissed ? "missed" : isStretch ? "stretch" : "must";
      return `| ${goal.item} | ${limit(goal, goal.must)} | ${limit(goal, goal.stretch)} | ${format(goal, goal.value)} | ${verdict} |`;
    });
  return ["| goal | must | stretch | measured | reached |", "| --- | ---: | ---: | ---: | --- |", ...rows].join("\n");
}

/** Returns the ratio of two values; undefined without one of them. */
export function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function limit(goal: Goal, value: number | undefined): string {
  if (value === undefined) return "";
  return `${goal.better === "larger" ? "at least" : "at most"} ${format(goal, value)}`;
}

function format({ unit }: Goal, value: number | undefined): string {
  if (value === undefined) return "";
  if (unit === "ratio") return value.toFixed(2);
  return `${value.toFixed(unit === "%" || unit === "KiB" ? 1 : 0)} ${unit}`;
}

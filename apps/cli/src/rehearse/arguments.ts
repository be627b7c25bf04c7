import { parseArgs } from "node:util";
import {
  durationToMs,
  parseIntegerOption,
  parseOptions,
  tryParseDuration,
  tryParseTime,
  UsageError,
} from "@homeostat/core";
import type { Flags } from "@homeostat/operator";

/** Parsed arguments of `homeostat rehearse`. */
export interface RehearseArguments {
  readonly run: "rehearse";
  /** File with the present objects; undefined to rehearse a creation. `-` is standard input. */
  readonly oldFile: string | undefined;
  readonly newFile: string;
  readonly limitMs: number;
  /** Time at which the rehearsal starts, in milliseconds since the epoch. */
  readonly now: number;
  readonly nodes: number;
  readonly times: { readonly startMs: number; readonly stopMs: number; readonly drainMs: number };
  readonly faults: { readonly neverReady: readonly string[]; readonly neverDrains: boolean };
  /** Flags of the operator by name without dashes, as text: `cluster-domain`. */
  readonly operatorFlags: readonly (readonly [name: string, value: string])[];
  readonly output: "text" | "json";
}

export const rehearseOptions = {
  for: { type: "string" },
  at: { type: "string" },
  nodes: { type: "string" },
  "pod-ready": { type: "string" },
  "pod-stop": { type: "string" },
  drain: { type: "string" },
  "never-ready": { type: "string", multiple: true },
  "never-drains": { type: "boolean" },
  set: { type: "string", multiple: true },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

const hint = "See homeostat rehearse --help.";
const dayMs = 86_400_000;

/** A fixed time, so that equal input gives equal output: a Thursday. */
export const defaultStart: number = Date.UTC(2026, 0, 1);

/** Parses the arguments after `homeostat rehearse`. Throws a {@link UsageError}. */
export function readRehearseArguments(
  words: readonly string[],
): RehearseArguments | { readonly run: "help"; readonly of: "rehearse" } {
  const parse = () => parseArgs({ args: [...words], options: rehearseOptions, allowPositionals: true });
  const { values, positionals } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "rehearse" };
  const [first, second, ...rest] = positionals;
  if (first === undefined) throw new UsageError(`homeostat rehearse requires a file: [OLD] NEW. ${hint}`);
  if (rest.length > 0)
    throw new UsageError(`homeostat rehearse takes at most two files, got ${positionals.length}. ${hint}`);
  if (first === "-" && second === "-") throw new UsageError("Only one of the two files can be standard input (-).");
  const { output = "text" } = values;
  if (output !== "text" && output !== "json")
    throw new UsageError(`--output is ${JSON.stringify(output)}; it must be text or json.`);
  return {
    run: "rehearse",
    oldFile: second === undefined ? undefined : first,
    newFile: second ?? first,
    limitMs: duration("--for", values.for, { defaultMs: 7_200_000, minMs: 1_000, maxMs: 30 * dayMs }),
    now: startTime(values.at),
    nodes: values.nodes === undefined ? 3 : parseIntegerOption("--nodes", values.nodes, { min: 1, max: 100 }),
    times: {
      startMs: duration("--pod-ready", values["pod-ready"], { defaultMs: 20_000, minMs: 0, maxMs: dayMs }),
      stopMs: duration("--pod-stop", values["pod-stop"], { defaultMs: 5_000, minMs: 0, maxMs: dayMs }),
      drainMs: duration("--drain", values.drain, { defaultMs: 30_000, minMs: 0, maxMs: dayMs }),
    },
    faults: { neverReady: values["never-ready"] ?? [], neverDrains: values["never-drains"] === true },
    operatorFlags: (values.set ?? []).map(operatorFlag),
    output,
  };
}

/** Returns the values of the operator's flags. Throws a {@link UsageError} that lists all problems. */
export function readOperatorFlags(
  flags: Flags,
  given: RehearseArguments["operatorFlags"],
): Readonly<Record<string, unknown>> {
  const names = new Map(Object.keys(flags).map((name) => [kebabCase(name), name]));
  const problems: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [word, text] of given) {
    const name = names.get(word);
    const reading = name === undefined ? undefined : flags[name]?.read(text);
    if (name === undefined || reading === undefined)
      problems.push(`--set ${word}: unknown setting; known are ${[...names.keys()].join(", ")}`);
    else if ("value" in reading) settings[name] = reading.value;
    else problems.push(`--set ${word} is ${JSON.stringify(text)}; it ${reading.problem}`);
  }
  if (problems.length > 0) throw new UsageError(`${problems.join("; ")}.`);
  return settings;
}

function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function operatorFlag(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new UsageError(`--set is ${JSON.stringify(text)}; it must be NAME=VALUE. ${hint}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function duration(
  option: string,
  text: string | undefined,
  { defaultMs, minMs, maxMs }: { readonly defaultMs: number; readonly minMs: number; readonly maxMs: number },
): number {
  if (text === undefined) return defaultMs;
  const parsed = tryParseDuration(text);
  const ms = parsed === undefined ? NaN : durationToMs(parsed);
  if (ms >= minMs && ms <= maxMs) return ms;
  const range = `from ${minMs / 1_000}s to ${maxMs / 3_600_000}h`;
  throw new UsageError(`${option} is ${JSON.stringify(text)}; it must be a duration such as 90s or 2h, ${range}.`);
}

function startTime(text: string | undefined): number {
  if (text === undefined) return defaultStart;
  const time = tryParseTime(text);
  if (time !== undefined) return time;
  throw new UsageError(`--at is ${JSON.stringify(text)}; it must be a time such as 2026-01-05T02:00:00Z.`);
}

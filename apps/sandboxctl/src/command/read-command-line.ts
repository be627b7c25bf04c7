// A command line as the input of its command: options, environment, arguments.

import { UsageError } from "@homeostat/core";
import type { Argument, Command } from "./definition.ts";
import { durationMsOf } from "./duration.ts";
import { type FlagValue, outputFormats } from "./flags.ts";
import type { ParsedWords } from "./input.ts";
import { allFlags, checkedValue, sortWords } from "./parse-words.ts";

const timeoutMsDefault = 30_000;
const timeoutMsMax = 3_600_000;

/** Options of all commands that a variable of the environment can set, such as `SANDBOXCTL_NAMESPACE`. */
export const environmentFlags = ["namespace", "kubeconfig", "context", "timeout", "output", "no-color"] as const;

/** Returns the variable that sets an option. */
export function variableOf(flag: string): string {
  return `SANDBOXCTL_${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** The result of reading a command line. */
export type ReadCommandLine = { readonly isHelp: true } | { readonly isHelp: false; readonly parsed: ParsedWords };

/** Parses the words of a command. Throws a {@link UsageError} for an invalid command line. */
export function readCommandLine(
  command: Command,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ReadCommandLine {
  const hint = `See sandboxctl ${command.words} --help.`;
  const flags = allFlags(command);
  const sorted = sortWords(words, flags, hint);
  if (sorted.flags.get("help") === true) return { isHelp: true };
  const values = new Map(sorted.flags);
  for (const name of environmentFlags) {
    const text = env[variableOf(name)];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined || text === undefined || text === "" || values.has(name)) continue;
    // Commands ignore a format that is set for all commands if they do not support it.
    if (name === "output" && (flag.kind !== "choice" || !flag.choices.includes(text))) continue;
    values.set(
      name,
      checkedVariable(name, text, () => checkedValue(name, flag, text)),
    );
  }
  for (const [name, flag] of Object.entries(flags)) {
    const hasDefault = flag.kind === "choice" || flag.kind === "duration";
    if (hasDefault && flag.default !== undefined && !values.has(name)) values.set(name, flag.default);
  }
  if (command.following === undefined && sorted.following.length > 0) {
    throw new UsageError(`sandboxctl ${command.words} takes no command after --. ${hint}`);
  }
  if (command.following !== undefined && sorted.following.length === 0) {
    throw new UsageError(`sandboxctl ${command.words} requires -- ${command.following}. ${hint}`);
  }
  const output = outputFormats.find((each) => each === values.get("output"));
  return {
    isHelp: false,
    parsed: {
      flags: values,
      arguments: readArguments(sorted.positionals, command, hint),
      following: sorted.following,
      output: output ?? "table",
      usesColor: values.get("no-color") !== true && (env["NO_COLOR"] ?? "") === "",
      connection: {
        namespace: textOf(values.get("namespace")),
        kubeconfig: textOf(values.get("kubeconfig")),
        context: textOf(values.get("context")),
        timeoutMs: timeoutOf(textOf(values.get("timeout"))),
        isVerbose: values.get("verbose") === true,
      },
    },
  };
}

function checkedVariable(name: string, text: string, check: () => FlagValue): FlagValue {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `${variableOf(name)} is ${JSON.stringify(text)}, which is not a valid value of --${name}; correct or unset it.`,
      { cause: error },
    );
  }
}

function textOf(value: FlagValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return timeoutMsDefault;
  const ms = durationMsOf(text) ?? NaN;
  if (ms > 0 && ms <= timeoutMsMax) return ms;
  throw new UsageError(`--timeout is ${JSON.stringify(text)}; it must be a duration such as 30s, at most 1h.`);
}

/** Returns the values of arguments by name. Throws a {@link UsageError} for missing and surplus ones. */
function readArguments(
  positionals: readonly string[],
  { arguments: expected = [], words }: Command,
  hint: string,
): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  let rest = [...positionals];
  for (const each of expected) {
    const taken = each.isRepeated === true ? rest : rest.slice(0, 1);
    rest = rest.slice(taken.length);
    if (taken.length === 0 && each.isOptional !== true)
      throw new UsageError(`sandboxctl ${words} requires ${each.name}. ${hint}`);
    for (const value of taken) checkArgument(each, value);
    if (taken.length > 0) values.set(each.name, taken);
  }
  const [surplus] = rest;
  if (surplus !== undefined)
    throw new UsageError(`Unexpected argument ${JSON.stringify(surplus)} of sandboxctl ${words}. ${hint}`);
  return values;
}

function checkArgument({ name, choices }: Argument, value: string): void {
  if (value === "") throw new UsageError(`${name} is empty.`);
  if (choices !== undefined && !choices.includes(value)) {
    throw new UsageError(`${name} is ${JSON.stringify(value)}; it must be one of ${choices.join(", ")}.`);
  }
}

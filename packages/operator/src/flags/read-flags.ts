import { parseArgs } from "node:util";
import { ownValue } from "@homeostat/core";
import { aliasVariables, type FlagAliases, isIgnored, targetOf } from "./aliases.ts";
import { type Flag, flag, type Flags, type SettingsOf } from "./flag.ts";
import { flagName, variableName } from "./names.ts";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The result of reading a command line and an environment. */
export interface FlagsRead<F extends Flags = Flags> {
  /** A value for every flag: from the command line, else the environment, else the default. */
  readonly settings: SettingsOf<F>;
  /** The same for the flags in `more`. */
  readonly more: Readonly<Record<string, unknown>>;
  /** The names of the flags that the command line or the environment set. */
  readonly given: ReadonlySet<string>;
  /** The values of the flags without effect that were given, by name. */
  readonly ignored: ReadonlyMap<string, string>;
  /** The positional arguments. */
  readonly positionals: readonly string[];
  /** One sentence per problem. If there are any, the settings must not be used. */
  readonly problems: readonly string[];
}

/** The input of {@link readFlags}. */
export interface FlagSource {
  readonly argv: readonly string[];
  readonly env: Environment;
  /** Additional flags whose types are not known statically: an operator's own. */
  readonly more?: Flags;
  /** Aliases of flags. An alias of a flag that is not read here is an unknown flag. */
  readonly aliases?: FlagAliases;
}

/** Reads flags from a command line and an environment. Returns all problems at once and never throws. */
export function readFlags<const F extends Flags>(flags: F, source: FlagSource): FlagsRead<F>;
export function readFlags(known: Flags, { argv: given, env, more = {}, aliases = {} }: FlagSource): FlagsRead {
  const flags = { ...more, ...known };
  const words = new Map(Object.keys(flags).map((name) => [flagName(name), name]));
  const ignored = new Map<string, string>();
  const byWord = new Map([...words, ...aliasNames(aliases, words)]);
  const readable: Flags = { ...flags, ...ignoredFlags(aliases) };
  const argv = Object.keys(aliases).length === 0 ? given : withTwoDashes(given, byWord);
  const problems: string[] = [];
  const positionals: string[] = [];
  const texts = new Map<string, string>();
  const { kept, without } = splitValueless(argv, { flags: readable, byWord });
  for (const { word, found } of without) problems.push(missingValue(word, found));
  for (const token of tokensOf(readable, byWord, kept)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const found = nameOf(token.name, { flags: readable, byWord });
    if (found === undefined) problems.push(unknownFlag(token.rawName, [...byWord.keys()]));
    else {
      const text = textOf(token, found);
      if (text === undefined) problems.push(missingValue(token.rawName, found));
      else if (!Object.hasOwn(flags, found.name)) ignored.set(found.name, text);
      else texts.set(found.name, isList(found.flag) ? joined(texts.get(found.name), text) : text);
    }
  }
  const settings: Record<string, unknown> = {};
  const isGiven = new Set<string>();
  for (const [name, flag] of Object.entries(flags)) {
    settings[name] = flag.default;
    const own = variableName(name, flag);
    const variables = [...(own === undefined ? [] : [own]), ...aliasVariables(aliases, flagName(name))];
    const variable = variables.find((each) => typeof ownValue(env, each) === "string");
    const text = texts.get(name) ?? (variable === undefined ? undefined : String(ownValue(env, variable)));
    if (text === undefined) continue;
    const reading = flag.read(text);
    if ("value" in reading) {
      settings[name] = reading.value;
      isGiven.add(name);
    } else {
      const where = texts.has(name) ? `--${flagName(name)}` : `environment variable ${variable}`;
      problems.push(`${where} is ${JSON.stringify(text)}; it ${reading.problem}.`);
    }
  }
  const of = (chosen: Flags): Record<string, unknown> =>
    Object.fromEntries(Object.keys(chosen).map((name) => [name, settings[name]]));
  return { settings: of(known), more: of(more), given: isGiven, ignored, positionals, problems };
}

/** Returns the defaults of flags. */
export function defaultSettings<const F extends Flags>(flags: F): SettingsOf<F>;
export function defaultSettings(flags: Flags): SettingsOf<Flags> {
  return Object.fromEntries(Object.entries(flags).map(([name, { default: value }]) => [name, value]));
}

/** Returns the arguments for settings that differ from the default: `--max-users=5`. */
export function argumentsOf(flags: Flags, settings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const value = settings[name];
    if (value === undefined) return [];
    const text = flag.format(value);
    return text === flag.format(flag.default) ? [] : [`--${flagName(name)}=${text}`];
  });
}

/** Returns pairs of alias and flag. A flag without effect is paired with itself. */
function aliasNames(aliases: FlagAliases, words: ReadonlyMap<string, string>): [string, string][] {
  return Object.entries(aliases).flatMap(([word, alias]): [string, string][] => {
    const target = targetOf(alias);
    const name = target === undefined ? word : words.get(target);
    return name === undefined || words.has(word) ? [] : [[word, name]];
  });
}

/** Returns the flags without effect as flags that are parsed like all others. */
function ignoredFlags(aliases: FlagAliases): Flags {
  return Object.fromEntries(
    Object.entries(aliases).flatMap(([word, alias]): [string, Flag][] => {
      if (!isIgnored(alias)) return [];
      const options = { default: "", help: "", env: null };
      const made = alias.ignored === "switch" ? flag.boolean({ ...options, default: false }) : flag.text(options);
      return [[word, made]];
    }),
  );
}

/** Adds the second dash to known flags that are written with one, as Go's `flag` package allows. Other words, such as negative numbers, stay unchanged. */
function withTwoDashes(argv: readonly string[], byWord: ReadonlyMap<string, string>): readonly string[] {
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const [, name = ""] = /^-([a-z][a-z0-9-]+)(?:=[\s\S]*)?$/.exec(word) ?? [];
    return byWord.has(name) && (end < 0 || index < end) ? `-${word}` : word;
  });
}

interface Found {
  readonly name: string;
  readonly flag: Flag;
  /** True if it was written as `--no-<name>`. */
  readonly isNegated: boolean;
}

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];

function tokensOf(flags: Flags, byWord: ReadonlyMap<string, string>, argv: readonly string[]): readonly Token[] {
  const options = Object.fromEntries(
    [...byWord].map(([word, name]) => [
      word,
      { type: flags[name]?.placeholder === undefined ? ("boolean" as const) : ("string" as const), multiple: true },
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function nameOf(
  word: string,
  { flags, byWord }: { flags: Flags; byWord: ReadonlyMap<string, string> },
): Found | undefined {
  for (const isNegated of [false, true]) {
    if (isNegated && !word.startsWith("no-")) continue;
    const name = byWord.get(isNegated ? word.slice(3) : word);
    const flag = name === undefined ? undefined : flags[name];
    if (name !== undefined && flag !== undefined && !(isNegated && flag.placeholder !== undefined)) {
      return { name, flag, isNegated };
    }
  }
  return undefined;
}

function textOf(token: Token & { kind: "option" }, { flag, isNegated }: Found): string | undefined {
  if (isNegated) return token.value === undefined ? "false" : undefined;
  if (flag.placeholder === undefined) return token.value ?? "true";
  return token.value;
}

/**
 * Removes flags that require a value and have none, as in `--a --b`.
 *
 * `parseArgs` would use `--b` as the value of `--a`, and problems of `--b` would not be reported.
 */
function splitValueless(
  argv: readonly string[],
  known: { flags: Flags; byWord: ReadonlyMap<string, string> },
): { kept: string[]; without: { word: string; found: Found }[] } {
  const kept: string[] = [];
  const without: { word: string; found: Found }[] = [];
  const end = argv.indexOf("--");
  for (const [index, word] of argv.entries()) {
    const isFlag = word.startsWith("--") && !word.includes("=") && (end < 0 || index < end);
    const found = isFlag ? nameOf(word.slice(2), known) : undefined;
    const next = argv[index + 1];
    const hasNone = next === undefined || (next.startsWith("-") && !/^-\d/.test(next));
    if (found !== undefined && found.flag.placeholder !== undefined && hasNone) without.push({ word, found });
    else kept.push(word);
  }
  return { kept, without };
}

function missingValue(rawName: string, { flag, isNegated }: Found): string {
  return isNegated ? `${rawName} takes no value.` : `${rawName} requires a value: ${rawName}=${flag.placeholder}.`;
}

function isList({ default: value }: Flag): boolean {
  return Array.isArray(value);
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before},${text}`;
}

function unknownFlag(rawName: string, words: readonly string[]): string {
  const word = rawName.replace(/^-+/, "");
  const near = words.find((known) => known.startsWith(word) || distance(known, word) <= 2);
  return `unknown flag ${rawName}${near === undefined ? "" : `; did you mean --${near}`}.`.replace(
    /(did you mean .*)\.$/,
    "$1?",
  );
}

/** Returns the edit distance of two words. Words whose lengths differ by more than 2 have distance 3, without computing it. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2 || a.length > 64) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const swap = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 3;
}

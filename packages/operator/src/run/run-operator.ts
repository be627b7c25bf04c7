import { relative } from "node:path";
import { loadConnection } from "@homeostat/client";
import { exitCodeOf, failureTextOf, UsageError } from "@homeostat/core";
import { type Logger, pinoLogger, runUntilSignal, type SignalSource, textLogger } from "@homeostat/runtime";
import type { Operator } from "../definition/operator.ts";
import { checkIgnored, renamedFlags } from "../flags/aliases.ts";
import { type Environment, type FlagsRead, readFlags } from "../flags/read-flags.ts";
import { operatorChart } from "../chart/operator-chart.ts";
import { operatorManifests, toYamlDocuments } from "../manifests/operator-manifests.ts";
import { chartFlags } from "./chart-flags.ts";
import { helpText } from "./help-text.ts";
import { manifestFlags, manifestOptionsOf } from "./manifest-flags.ts";
import { createOperatorManager } from "./operator-manager.ts";
import { runFlagsOf, type RunSettings } from "../flags/run-flags.ts";
import { writeChart } from "./write-chart.ts";

/** A destination of text, such as `process.stdout`. */
export interface TextOutput {
  write(text: string): unknown;
}

/** Options of {@link runOperator}. Every default is taken from the process. */
export interface RunOptions {
  /** The command line arguments. Default: `process.argv.slice(2)`. */
  readonly argv?: readonly string[];
  readonly env?: Environment;
  readonly stdout?: TextOutput;
  readonly stderr?: TextOutput;
  /** The source of SIGTERM and SIGINT. Default: `process`. */
  readonly signals?: SignalSource;
  /** The shell command that starts the program, for commands that log messages suggest. Default: `node` and the started file. */
  readonly program?: string;
}

/** The input of every command. */
interface Program {
  readonly operator: Operator;
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly signals: SignalSource;
  readonly program: string;
}

const commands: Readonly<Record<string, (program: Program) => Promise<number>>> = {
  run,
  manifests,
  chart,
  version: async ({ operator, stdout }) => {
    stdout.write(`${operator.version}\n`);
    return 0;
  },
};

/**
 * Runs the main function of an operator: executes the command that the command line names, by default `run`.
 *
 * Resolves with the exit code: 0, or 1 when the command failed, or 2 for an invalid command line. Errors are written to
 * standard error. Never rejects.
 *
 * @example
 * process.exitCode = await runOperator(shop);
 */
export async function runOperator(operator: Operator, options: RunOptions = {}): Promise<number> {
  const { argv = process.argv.slice(2), env = process.env, stdout = process.stdout, stderr = process.stderr } = options;
  const { signals = process, program = programOf(operator) } = options;
  const [first] = argv;
  const word = first === "--version" ? "version" : first === undefined || first.startsWith("-") ? "run" : first;
  const rest = word === "run" && first !== "run" ? argv : argv.slice(1);
  try {
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (command === undefined) {
      throw usageError([`unknown command ${word}; the commands are ${Object.keys(commands).join(", ")}.`]);
    }
    return await command({ operator, argv: rest, env, stdout, stderr, signals, program });
  } catch (error) {
    stderr.write(`${operator.name}: ${failureTextOf(error)}\n`);
    return exitCodeOf(error);
  }
}

/** Returns `node dist/main.js`, or the operator's name if the started file is not known. */
function programOf({ name }: Operator): string {
  const [, file] = process.argv;
  if (file === undefined) return name;
  const near = relative(process.cwd(), file);
  const path = near === "" || near.startsWith("..") ? file : near;
  return `node ${/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`}`;
}

async function run({ operator, argv, env, stdout, stderr, signals, program }: Program): Promise<number> {
  const { flags, flagAliases: aliases } = operator;
  const read = readFlags(runFlagsOf(operator), { argv, env, more: flags, aliases });
  const { settings, more } = read;
  if (settings.help) {
    stdout.write(helpText(operator, "run"));
    return 0;
  }
  const { warnings, problems } = checkIgnored(aliases, read);
  const checked = withSettingProblems(operator, read);
  if (checked.problems.length > 0) refuse({ ...checked, problems: [...checked.problems, ...problems] }, 0);
  refuse(checked, 0);
  for (const warning of warnings) stderr.write(`${warning}\n`);
  // Exit code 1, not 2: every flag is valid by itself, but the settings contradict each other.
  for (const problem of problems) stderr.write(`${operator.name}: ${problem}\n`);
  if (problems.length > 0) return 1;
  const connection = await loadConnection({
    env,
    ...(settings.kubeconfig === undefined ? {} : { file: settings.kubeconfig }),
    ...(settings.context === undefined ? {} : { context: settings.context }),
  });
  const log = await loggerOf(settings, stdout);
  const manager = createOperatorManager(operator, { connection, run: settings, settings: more, log, env, program });
  log.info("Starting operator", { operator: operator.name, version: operator.version, server: connection.server });
  return runUntilSignal(manager, signals);
}

async function manifests({ operator, argv, stdout }: Program): Promise<number> {
  // No environment: the output must not depend on the shell.
  const read = readFlags(manifestFlags(operator), {
    argv,
    env: {},
    more: operator.flags,
    aliases: renamedFlags(operator.flagAliases),
  });
  if (read.settings.help) {
    stdout.write(helpText(operator, "manifests"));
    return 0;
  }
  refuse(withSettingProblems(operator, read), 0);
  const objects = operatorManifests(operator, { ...manifestOptionsOf(read.settings, operator), settings: read.more });
  const isWanted = (kind: string): boolean => read.settings.only === "all" || kind === "CustomResourceDefinition";
  stdout.write(toYamlDocuments(objects.filter(({ kind }) => isWanted(kind))));
  return 0;
}

async function chart({ operator, argv, stdout, stderr }: Program): Promise<number> {
  const read = readFlags(chartFlags, {
    argv,
    env: {},
    more: operator.flags,
    aliases: renamedFlags(operator.flagAliases),
  });
  const { settings, more, positionals } = read;
  if (settings.help) {
    stdout.write(helpText(operator, "chart"));
    return 0;
  }
  refuse(withSettingProblems(operator, read), 1);
  const [folder] = positionals;
  if (folder === undefined) throw usageError([`chart requires a directory: ${operator.name} chart DIR.`]);
  const others = await writeChart(folder, operatorChart(operator, { version: settings.chartVersion, settings: more }));
  for (const path of others) {
    stderr.write(
      `${folder}/${path} is not part of this chart, but helm would render it. Delete it if an older chart left it there.\n`,
    );
  }
  return 0;
}

/** Adds the problems of settings that are valid each but not together. Settings of flags with problems have their defaults. */
function withSettingProblems(
  operator: Operator,
  { problems, positionals, more }: Pick<FlagsRead, "problems" | "positionals" | "more">,
): Pick<FlagsRead, "problems" | "positionals"> {
  return { problems: [...problems, ...operator.settingProblems(more)], positionals };
}

/** Throws a `UsageError` that lists every problem of a command line, including surplus positional arguments. */
function refuse({ problems, positionals }: Pick<FlagsRead, "problems" | "positionals">, positionalsMax: number): void {
  const surplus = positionals.slice(positionalsMax).map((word) => `unexpected argument: ${word}.`);
  if (problems.length + surplus.length > 0) throw usageError([...problems, ...surplus]);
}

/** Returns an error that lists the problems of a command line, one per line. */
function usageError(problems: readonly string[]): UsageError {
  return new UsageError(`${problems.join("\n")}\nRun with --help for usage.`);
}

async function loggerOf({ logFormat, logLevel: level }: RunSettings, stdout: TextOutput): Promise<Logger> {
  const write = (line: string): void => void stdout.write(line);
  if (logFormat === "text") return textLogger({ level, write });
  return stdout === process.stdout ? pinoLogger({ level }) : pinoLogger({ level, destination: { write } });
}

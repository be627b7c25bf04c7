import { relative } from "node:path";
import { loadConnection } from "@homeostat/client";
import { HomeostatError } from "@homeostat/core";
import { type Logger, pinoLogger, runUntilSignal, type SignalSource, textLogger } from "@homeostat/runtime";
import type { Operator } from "../definition/operator.ts";
import { UsageError } from "../errors.ts";
import { judgeIgnored, renamedFlags } from "../flags/aliases.ts";
import { type Environment, type FlagsRead, readFlags } from "../flags/read-flags.ts";
import { operatorChart } from "../chart/operator-chart.ts";
import { operatorManifests, toYamlDocuments } from "../manifests/operator-manifests.ts";
import { chartFlags } from "./chart-flags.ts";
import { helpText } from "./help-text.ts";
import { manifestFlags, manifestOptionsOf } from "./manifest-flags.ts";
import { createOperatorManager } from "./operator-manager.ts";
import { runFlagsOf, type RunSettings } from "./run-flags.ts";
import { writeChart } from "./write-chart.ts";

/** Where a text goes. */
export interface TextOutput {
  write(text: string): unknown;
}

/** What a program is run with. Everything has a default: that of the process. */
export interface RunOptions {
  /** The command line without the program: `process.argv.slice(2)`. */
  readonly argv?: readonly string[];
  readonly env?: Environment;
  readonly stdout?: TextOutput;
  readonly stderr?: TextOutput;
  /** Where SIGTERM and SIGINT come from. */
  readonly signals?: SignalSource;
  /** How the program is started in a shell, for commands that messages suggest. Default: `node` and the file that was started. */
  readonly program?: string;
}

/** What all commands are given. */
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
 * The main function of an operator: runs it, or prints what installs it, as the command line says.
 *
 * Resolves with the code to exit with: 0, 1 when something failed, 2 for a command line that cannot be understood. What is
 * wrong is written to standard error in words. Never rejects.
 *
 * @example
 * process.exitCode = await runOperator(shop);
 */
export async function runOperator(operator: Operator, options: RunOptions = {}): Promise<number> {
  const { argv = process.argv.slice(2), env = process.env, stdout = process.stdout, stderr = process.stderr } = options;
  const { signals = process, program = programOf(operator) } = options;
  const word = argv[0] === undefined || argv[0].startsWith("-") ? "run" : argv[0];
  const rest = word === argv[0] ? argv.slice(1) : argv;
  try {
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (command === undefined) {
      throw new UsageError([`There is no command ${word}; there are ${Object.keys(commands).join(", ")}.`]);
    }
    return await command({ operator, argv: rest, env, stdout, stderr, signals, program });
  } catch (error) {
    stderr.write(`${operator.name}: ${describe(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** `node dist/main.js`, or the operator's name where the file is not known. */
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
  const { warnings, problems } = judgeIgnored(aliases, read);
  if (read.problems.length > 0) refuse({ ...read, problems: [...read.problems, ...problems] }, 0);
  refuse(read, 0);
  for (const warning of warnings) stderr.write(`${warning}\n`);
  // The command line can be read, but its settings contradict each other.
  for (const problem of problems) stderr.write(`${operator.name}: ${problem}\n`);
  if (problems.length > 0) return 1;
  const connection = await loadConnection({
    env,
    ...(settings.kubeconfig === undefined ? {} : { file: settings.kubeconfig }),
    ...(settings.context === undefined ? {} : { context: settings.context }),
  });
  const log = await loggerOf(settings, stdout);
  const manager = createOperatorManager(operator, { connection, run: settings, settings: more, log, env, program });
  log.info("Starting", { operator: operator.name, version: operator.version, server: connection.server });
  return runUntilSignal(manager, signals);
}

async function manifests({ operator, argv, stdout }: Program): Promise<number> {
  // What is printed must not depend on the shell it is printed in.
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
  refuse(read, 0);
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
  refuse(read, 1);
  const [folder] = positionals;
  if (folder === undefined) throw new UsageError([`Say where the chart is to be written: ${operator.name} chart DIR.`]);
  const others = await writeChart(folder, operatorChart(operator, { version: settings.chartVersion, settings: more }));
  for (const path of others) {
    stderr.write(
      `${folder}/${path} is not of this chart, but helm takes it up. Delete it if it is left from before.\n`,
    );
  }
  return 0;
}

/** Throws a `UsageError` with everything that is wrong with a command line. */
function refuse({ problems, positionals }: Pick<FlagsRead, "problems" | "positionals">, positionalsMax: number): void {
  const surplus = positionals.slice(positionalsMax).map((word) => `There is a word too many: ${word}.`);
  if (problems.length + surplus.length > 0) throw new UsageError([...problems, ...surplus]);
}

async function loggerOf({ logFormat, logLevel: level }: RunSettings, stdout: TextOutput): Promise<Logger> {
  const write = (line: string): void => void stdout.write(line);
  if (logFormat === "text") return textLogger({ level, write });
  return stdout === process.stdout ? pinoLogger({ level }) : pinoLogger({ level, destination: { write } });
}

/** What went wrong, in words: of errors that were foreseen, what they say; of others, where they come from too. */
function describe(error: unknown): string {
  if (error instanceof HomeostatError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { relative, resolve } from "node:path";
import { createInterface, type Interface } from "node:readline/promises";
import { exitCodeOf, failureTextOf, UsageError } from "@homeostat/core";
import { type CreateArguments, createHelp, readCreateArguments } from "./arguments.ts";
import { filesOf } from "./files/files.ts";
import { type Choice, type Project, problemsOf } from "./project.ts";
import { folderProblem, writeProject } from "./write-project.ts";

/** Parts of the process that the command uses. */
export interface CreateContext {
  /** The command as the user types it, for messages. */
  readonly program: string;
  /** Version of Homeostat, which the project depends on. */
  readonly version: string;
  /** Answers to questions. Without a terminal no question is asked. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

const questions: Readonly<Record<Choice, string>> = {
  name: "Name of the operator, such as sites: ",
  group: "API group, a domain that you own, such as example.com: ",
  kind: "Kind of the custom resource, such as Site: ",
};
const choices = ["name", "group", "kind"] as const;

/** Creates a project. Returns the exit code: 2 for an invalid command line, 130 after Ctrl-C. */
export async function createCommand(words: readonly string[], context: CreateContext): Promise<number> {
  const { program, version, output, errors, signal } = context;
  try {
    const args = readCreateArguments(words, program);
    if (args.run === "help") {
      output.write(createHelp(program));
      return 0;
    }
    if (args.run === "version") {
      output.write(`${version}\n`);
      return 0;
    }
    refuse(args, program, context.input.isTTY === true);
    const project = await chosen(args, context);
    const folder = args.folder ?? project.name;
    const problem = folderProblem(folder);
    if (problem !== undefined) throw new UsageError(problem);
    signal.throwIfAborted();
    const files = filesOf(project);
    writeProject(folder, files);
    output.write(summary(relative(".", resolve(folder)), [...files.keys()]));
    return 0;
  } catch (error) {
    if (signal.aborted) {
      errors.write("\nInterrupted. Nothing was written.\n");
      return 130;
    }
    errors.write(`${program}: ${failureTextOf(error)}\n`);
    return exitCodeOf(error);
  }
}

/** Throws one error with all problems of the command line. */
function refuse(args: CreateArguments, program: string, canAsk: boolean): void {
  const problems = choices.flatMap((choice) => {
    const text = args[choice];
    return text === undefined ? [] : problemsOf(choice, text);
  });
  const missing = choices.filter((choice) => args[choice] === undefined);
  if (!canAsk && missing.length > 0)
    problems.push(`Without a terminal, these options are required: ${missing.map((each) => `--${each}`).join(", ")}.`);
  if (args.surplus.length > 0) problems.push(`Unexpected arguments: ${args.surplus.join(" ")}.`);
  const folder = args.folder === undefined ? undefined : folderProblem(args.folder);
  if (folder !== undefined) problems.push(folder);
  if (problems.length > 0) throw new UsageError(`${problems.join("\n")}\nSee ${program} --help.`);
}

async function chosen(args: CreateArguments, context: CreateContext): Promise<Project> {
  const { input, output, signal, version } = context;
  const { name, group, kind, webhooks } = args;
  if (
    name !== undefined &&
    group !== undefined &&
    kind !== undefined &&
    (webhooks !== undefined || input.isTTY !== true)
  )
    return { name, group, kind, webhooks: webhooks === true, version };
  const lines = createInterface({ input, output });
  // With a terminal, readline receives Ctrl-C instead of the process.
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  signal.addEventListener("abort", stop, { once: true });
  const ask = (choice: Choice): Promise<string> => askUntilValid(choice, { lines, signal: stopping.signal, output });
  try {
    return {
      name: name ?? (await ask("name")),
      group: group ?? (await ask("group")),
      kind: kind ?? (await ask("kind")),
      webhooks:
        webhooks ?? /^y/i.test(await lines.question("Add a validating webhook? [y/N] ", { signal: stopping.signal })),
      version,
    };
  } finally {
    signal.removeEventListener("abort", stop);
    lines.close();
  }
}

async function askUntilValid(
  choice: Choice,
  { lines, signal, output }: { lines: Interface; signal: AbortSignal; output: NodeJS.WritableStream },
): Promise<string> {
  for (;;) {
    const text = (await lines.question(questions[choice], { signal })).trim();
    const problems = problemsOf(choice, text);
    if (problems.length === 0) return text;
    output.write(`${problems.join("\n")}\n`);
  }
}

function summary(folder: string, files: readonly string[]): string {
  return `Created ${folder} with ${files.length} files. README.md explains each of them.

  cd ${folder}
  npm install
  npm test
`;
}

import { readFile } from "node:fs/promises";
import { formatElapsedMs, UsageError } from "@homeostat/core";
import type { TimelineEntry } from "@homeostat/operator";
import { readOperatorFlags, type RehearseArguments } from "./arguments.ts";
import { checkSameObject, type Manifests, parseManifests } from "./manifests.ts";
import { rehearsals } from "./operators.ts";
import { exitCodeOfVerdict, rehearsalJson, resultLines, TimelineText } from "./output.ts";
import { runRehearsal } from "./run-rehearsal.ts";

/** Parts of the process that the command uses. */
export interface RehearseContext {
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly printProgress: (line: string) => void;
  /** Returns the whole standard input. */
  readonly readInput: () => Promise<string>;
  /** Aborted to stop the command. */
  readonly signal: AbortSignal;
}

/** Rehearses a change, and prints what would happen. Returns the exit code. */
export async function rehearseCommand(args: RehearseArguments, context: RehearseContext): Promise<number> {
  const { print, printProgress, signal } = context;
  const [definition] = rehearsals;
  const settings = readOperatorFlags(definition.flags(), args.operatorFlags);
  const read = async (file: string): Promise<Manifests | undefined> => {
    const content = await contentOf(file, context);
    const source = file === "-" ? "standard input" : file;
    return content === undefined ? undefined : parseManifests(content, source, definition.type);
  };
  const old = args.oldFile === undefined ? undefined : await read(args.oldFile);
  const next = await read(args.newFile);
  if (next === undefined || signal.aborted) return exitCodeOfVerdict("interrupted");
  if (old !== undefined) checkSameObject(old, next);

  const { kind } = next.primary;
  const { name, namespace = "default" } = next.primary.metadata;
  const startedAt = new Date(args.now).toISOString().replace(".000Z", "Z");
  const input = { kind, namespace, name, old: old?.source, new: next.source, startedAt };
  const isJson = args.output === "json";
  const printText = isJson ? printProgress : print;
  const files = old === undefined ? `creation of ${next.source}` : `${old.source} -> ${next.source}`;
  printText(
    `Rehearsing ${files}: ${kind} ${namespace}/${name}, in virtual time from ${startedAt}. No real cluster is used.`,
  );

  const notes: string[] = [];
  const timeline: TimelineEntry[] = [];
  const text = new TimelineText(print);
  const { limitMs, now, nodes, times, faults } = args;
  const { startMs, stopMs, drainMs } = times;
  const onNote = (note: string): void => {
    notes.push(note);
    if (!isJson) print(`note: ${note}`);
  };
  onNote(
    `pods need ${formatElapsedMs(startMs)} to start and ${formatElapsedMs(stopMs)} to stop, drains ${formatElapsedMs(drainMs)}`,
  );
  const onEntry = (entry: TimelineEntry): void => {
    if (timeline.length === 0 && !isJson) print("");
    timeline.push(entry);
    if (!isJson) text.add(entry);
  };
  const options = { definition, old, next, settings, times, faults, now, nodes, limitMs, onNote, onEntry, signal };
  const result = await runRehearsal(options);
  if (isJson) print(rehearsalJson(input, notes, timeline, result).trimEnd());
  else {
    text.end();
    print("");
    for (const line of resultLines(result)) print(line);
  }
  return exitCodeOfVerdict(result.verdict);
}

/** Returns the content of a file; undefined if the signal aborts meanwhile. */
async function contentOf(file: string, { readInput, signal }: RehearseContext): Promise<string | undefined> {
  try {
    return file === "-" ? await readInput() : await readFile(file, { encoding: "utf8", signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const why = error.code === "ENOENT" ? "it does not exist" : error.message;
    throw new UsageError(`Cannot read ${file}: ${why}.`, { cause: error });
  }
}

import { readFile } from "node:fs/promises";
import { UsageError } from "@homeostat/core";
import type { CommandContext } from "../command/context.ts";

/** Returns the name of a file in messages. */
export function sourceName(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** Checks the values of `-f`: at least one, and standard input at most once. Throws a {@link UsageError}. */
export function requiredFiles(files: readonly string[], words: string): readonly string[] {
  if (files.length === 0) throw new UsageError(`sandboxctl ${words} requires -f FILE. See sandboxctl ${words} --help.`);
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read once only.");
  return files;
}

/** Returns the content of a file; `-` is standard input. Throws a {@link UsageError} if it cannot be read. */
export async function readSource(
  file: string,
  { readInput, signal }: Pick<CommandContext, "readInput" | "signal">,
): Promise<string> {
  if (file === "-") return readInput();
  try {
    return await readFile(file, { encoding: "utf8", signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const why = error.code === "ENOENT" ? "it does not exist" : error.message;
    throw new UsageError(`Cannot read ${file}: ${why}.`, { cause: error });
  }
}

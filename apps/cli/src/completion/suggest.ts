// Suggestions for the word that the user types, from the options of the commands.

import { completionShells } from "@homeostat/core";
import { createOptions } from "create-homeostat";
import { clusterOptions } from "../cluster-options.ts";
import { dashboardOptions } from "../dashboard/arguments.ts";
import { devOptions } from "../dev/arguments.ts";
import { doctorOptions } from "../doctor/arguments.ts";
import { generateOptions } from "../generate/arguments.ts";
import { rehearseOptions } from "../rehearse/arguments.ts";

/** Suggestions for a word: words, and whether paths fit as well. */
export interface Suggestions {
  readonly words: readonly string[];
  readonly hasFiles: boolean;
}

interface Completed {
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>>;
  /** Words that follow the command; `files` for paths. */
  readonly arguments?: readonly string[] | "files";
}

const help = { help: { type: "boolean", short: "h" } } as const;

/** Commands by their words. */
const commands: Readonly<Record<string, Completed>> = {
  create: { options: createOptions, arguments: "files" },
  dev: { options: devOptions, arguments: "files" },
  cluster: { options: clusterOptions },
  dashboard: { options: dashboardOptions },
  doctor: { options: doctorOptions },
  generate: { options: help, arguments: ["types"] },
  "generate types": { options: generateOptions },
  rehearse: { options: rehearseOptions, arguments: "files" },
  assets: { options: help },
  completion: { options: help, arguments: completionShells },
  version: { options: {} },
};

/** Names of all commands. */
export const commandNames: readonly string[] = Object.keys(commands).filter((name) => !name.includes(" "));

/** Options whose values are paths. */
const pathOptions = new Set([
  "--kubeconfig",
  "--data",
  "--out",
  "--from-crd",
  "--audit-log-path",
  "--apply",
  "--watch",
]);
/** Values of options that have a few. */
const optionValues: Readonly<Record<string, readonly string[]>> = {
  "--output": ["text", "json"],
  "-o": ["text", "json"],
};

/** Returns the suggestions for the last of the words after `homeostat`. */
export function suggest(words: readonly string[]): Suggestions {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  // The command after -- is completed as a path; its own options are unknown here.
  if (before.includes("--")) return { words: [], hasFiles: true };
  const [first] = before;
  if (first === undefined) return matching([...commandNames, "--help", "--version"], current);
  const name = `${first} ${before[1] ?? ""}` in commands ? `${first} ${before[1] ?? ""}` : first;
  const command = commands[name];
  if (command === undefined) return { words: [], hasFiles: false };
  const [option = "", joined] = current.startsWith("--") && current.includes("=") ? current.split("=", 2) : [];
  if (joined !== undefined) {
    const values = optionValues[option] ?? [];
    return {
      ...matching(
        values.map((value) => `${option}=${value}`),
        current,
      ),
      hasFiles: pathOptions.has(option),
    };
  }
  const previous = before.at(-1) ?? "";
  if (takesValue(command, previous))
    return { ...matching(optionValues[previous] ?? [], current), hasFiles: pathOptions.has(previous) };
  if (current.startsWith("-")) {
    const options = Object.entries(command.options).flatMap(([long, { short }]) => [
      `--${long}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    return matching(options, current);
  }
  const { arguments: expected = [] } = command;
  return expected === "files" ? { words: [], hasFiles: true } : matching(expected, current);
}

function takesValue({ options }: Completed, word: string): boolean {
  return Object.entries(options).some(
    ([long, { type, short }]) => type === "string" && (word === `--${long}` || word === `-${short ?? ""}`),
  );
}

function matching(words: readonly string[], current: string): Suggestions {
  return { words: words.filter((word) => word.startsWith(current)), hasFiles: false };
}

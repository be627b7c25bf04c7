import { completionShells } from "@homeostat/core";
import { type Command, defineCommand } from "../command/definition.ts";

export const completionCommands: readonly Command[] = [
  defineCommand({
    words: "completion",
    summary: "Print the completion script of a shell",
    description: [
      "Prints a script that completes commands, options, and the names of objects of the cluster. Load it in the configuration of the shell.",
    ],
    arguments: [{ name: "SHELL", choices: completionShells }],
    flags: {},
    outputs: [],
    isOffline: true,
    examples: [
      "source <(sandboxctl completion bash)",
      "source <(sandboxctl completion zsh)",
      "sandboxctl completion fish | source",
    ],
    load: async () => (await import("./scripts.ts")).printScript,
  }),
  defineCommand({
    words: "__complete",
    summary: "Print the words that may follow a command line",
    description: ["Called by the scripts of sandboxctl completion with the words of the command line after --."],
    following: "WORDS...",
    flags: {},
    outputs: [],
    isHidden: true,
    examples: [],
    load: async () => (await import("./complete-command.ts")).completeCommand,
  }),
];

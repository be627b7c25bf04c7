import { type Command, defineCommand } from "../command/definition.ts";

export const diagnosticsFlags = {
  output: {
    kind: "text",
    short: "o",
    value: "FILE",
    suggests: "file",
    help: "file to write (default: standard output)",
  },
  "all-namespaces": { kind: "switch", short: "A", help: "include objects of all namespaces" },
} as const;

export const diagnosticsCommands: readonly Command[] = [
  defineCommand({
    words: "diagnostics",
    summary: "Collect the state of sandbox environments for a report",
    description: [
      "Writes versions, objects of sandbox environments with their conditions, events, and the state of the pods of the operator as JSON. Parts that you have no permission to read are listed. Values of environment variables, contents of Secrets and ConfigMaps, tokens and public keys are not included.",
    ],
    flags: diagnosticsFlags,
    outputs: [],
    examples: ["sandboxctl diagnostics -o report.json -n shop"],
    load: async () => (await import("./diagnostics-command.ts")).collectDiagnostics,
  }),
];

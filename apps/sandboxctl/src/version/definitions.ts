import { type Command, defineCommand } from "../command/definition.ts";

export const versionFlags = {
  client: { kind: "switch", help: "print the version of this program only, without a cluster" },
} as const;

export const versionCommands: readonly Command[] = [
  defineCommand({
    words: "version",
    summary: "Print the versions of this program, the operator, Kubernetes and the tunnel protocol",
    description: [
      "Prints the versions of this program, of the operator and of Kubernetes, and the version of the tunnel protocol. Warns if program and operator differ.",
    ],
    flags: versionFlags,
    outputs: ["table", "json"],
    examples: ["sandboxctl version", "sandboxctl version --client -o json"],
    load: async () => (await import("./version-command.ts")).printVersion,
  }),
];

import type { Operator } from "../definition/operator.ts";
import { aliasHelpOf, helpOf } from "../flags/help.ts";
import type { Flags } from "../flags/flag.ts";
import { chartFlags } from "./chart-flags.ts";
import { manifestFlags } from "./manifest-flags.ts";
import { runFlagsOf } from "../flags/run-flags.ts";

/** Returns the `--help` text of the program or of one of its commands. */
export function helpText(operator: Operator, command: "run" | "manifests" | "chart"): string {
  const { name, version, description, flags } = operator;
  const own = helpOf(`Settings of ${name}`, flags);
  const join = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");
  switch (command) {
    case "run":
      return join(
        `${name} ${version}${description === "" ? "" : `: ${description}`}\n`,
        `Usage:
  ${name} [flags]                  Run the operator
  ${name} manifests [flags]        Print the manifests that install the operator, as YAML
  ${name} chart DIR [flags]        Write a Helm chart that installs the operator
  ${name} version                  Print the version, as --version does
`,
        own,
        helpOf("Flags", runFlagsOf(operator)),
        aliasHelpOf("Flag aliases", operator.flagAliases),
      );
    case "manifests":
      return join(`Usage: ${name} manifests [flags]\n`, own, helpOf("Flags", withoutHelp(manifestFlags(operator))));
    case "chart":
      return join(`Usage: ${name} chart DIR [flags]\n`, own, helpOf("Flags", withoutHelp(chartFlags)));
  }
}

function withoutHelp(flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => name !== "help"));
}

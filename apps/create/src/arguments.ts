import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseOptions } from "@homeostat/core";

/** The parsed command line. Choices that it does not make are undefined. */
export interface CreateArguments {
  readonly run: "create" | "help" | "version";
  readonly folder: string | undefined;
  readonly name: string | undefined;
  readonly group: string | undefined;
  readonly kind: string | undefined;
  readonly webhooks: boolean | undefined;
  /** Positional arguments after the folder. */
  readonly surplus: readonly string[];
}

/** Options of the command. */
export const createOptions = {
  name: { type: "string" },
  group: { type: "string" },
  kind: { type: "string" },
  webhooks: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** Parses the arguments after the command. Throws a `UsageError` for an unknown option. */
export function readCreateArguments(words: readonly string[], program: string): CreateArguments {
  const { values, positionals } = parseOptions(
    () => parseArgs({ args: [...words], options: createOptions, allowPositionals: true, allowNegative: true }),
    `See ${program} --help.`,
  );
  const [folder, ...surplus] = positionals;
  return {
    run: values.help === true ? "help" : values.version === true ? "version" : "create",
    folder,
    name: values.name ?? (folder === undefined ? undefined : basename(resolve(folder))),
    group: values.group,
    kind: values.kind,
    webhooks: values.webhooks,
    surplus,
  };
}

/** Returns the output of `--help`. Arguments of `npm create` follow two hyphens. */
export function createHelp(program: string): string {
  const separator = program.startsWith("npm ") ? " --" : "";
  return `Usage: ${program} [FOLDER]${separator} [options]

Creates the project of an operator: a kind, its controller, a test on an embedded cluster, samples, Dockerfile and CI workflow. Asks for
what the command line does not say. Existing files are never changed.

Options:
  --name NAME      name of the operator (default: the name of the folder)
  --group GROUP    API group of the kind, a domain that you own: example.com
  --kind KIND      kind of the custom resource: Site
  --webhooks       add a validating webhook (default: no)
  --no-webhooks    add no webhook, and do not ask
  --version        print the version
  --help           print this text

Example:
  ${program} sites${separator} --group example.com --kind Site
`;
}

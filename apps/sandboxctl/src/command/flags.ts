// Options of commands as data: the parser, help, completion and the reference page all read the same definitions.

/** Objects and names that completion can suggest. */
export type Suggestion =
  | "sandbox"
  | "routegroup"
  | "localworkload"
  | "previewlink"
  | "service"
  | "namespace"
  | "context"
  | "entry"
  | "file"
  | "folder"
  | "command";

interface FlagBase {
  /** Effect of the option: lower case, without a full stop. */
  readonly help: string;
  readonly short?: string;
}

interface ValueFlag extends FlagBase {
  /** Placeholder of the value in help. */
  readonly value: string;
  readonly suggests?: Suggestion;
}

/** An option of a command. */
export type Flag =
  | (ValueFlag & { readonly kind: "text" | "texts" })
  | (ValueFlag & { readonly kind: "duration"; readonly default?: string })
  | (ValueFlag & { readonly kind: "integer"; readonly min: number; readonly max: number })
  | (FlagBase & { readonly kind: "choice"; readonly choices: readonly string[]; readonly default: string })
  /** An option that can be given without a value, such as `--dry-run` and `--dry-run=server`. */
  | (FlagBase & { readonly kind: "optional"; readonly choices: readonly string[]; readonly bare: string })
  | (FlagBase & { readonly kind: "switch"; readonly default?: boolean });

/** The options of a command by name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** Names of the options of a kind. */
export type FlagNames<F extends Flags, K extends Flag["kind"]> = {
  [N in keyof F]: F[N] extends { readonly kind: K } ? N : never;
}[keyof F] &
  string;

/** A value of the command line that was checked against its definition. */
export type FlagValue = string | number | boolean | readonly string[];

/** Options that all commands have. */
export const globalFlags = {
  namespace: {
    kind: "text",
    short: "n",
    value: "NAME",
    suggests: "namespace",
    help: "namespace of objects without one (default: from the configuration, otherwise from the kubeconfig, otherwise default)",
  },
  kubeconfig: { kind: "text", value: "FILE", suggests: "file", help: "kubeconfig to use (default: as kubectl)" },
  context: {
    kind: "text",
    value: "NAME",
    suggests: "context",
    help: "context of the kubeconfig (default: the current one)",
  },
  timeout: { kind: "duration", value: "TIME", help: "time limit of the command without its waits (default: 30s)" },
  "no-color": { kind: "switch", help: "print without colors; NO_COLOR does the same" },
  verbose: { kind: "switch", short: "v", help: "print each request to the API server to standard error" },
  help: { kind: "switch", short: "h", help: "print the help of the command" },
} as const;

/** Formats of the output of commands. */
export const outputFormats = ["table", "wide", "json", "yaml", "name"] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** Returns an option of a command as users type it, with the placeholder of its value. */
export function flagForm(name: string, flag: Flag): string {
  switch (flag.kind) {
    case "switch":
      return flag.default === true ? `--${name}=false` : `--${name}`;
    case "choice":
      return `--${name} ${flag.choices.join("|")}`;
    case "optional":
      return `--${name}[=${flag.choices.join("|")}]`;
    default:
      return `--${name} ${flag.value}`;
  }
}

/** Returns the help of an option with its default and whether it may be repeated. */
export function flagHelp(flag: Flag): string {
  if (flag.kind === "texts") return `${flag.help}; may be repeated`;
  const isDefaulted = flag.kind === "choice" || (flag.kind === "duration" && flag.default !== undefined);
  return isDefaulted ? `${flag.help} (default: ${flag.default})` : flag.help;
}

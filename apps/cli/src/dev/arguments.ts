import { parseArgs } from "node:util";
import { parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";

/** Parsed arguments of `homeostat dev`. */
export interface DevArguments {
  readonly run: "dev";
  /** The program: a TypeScript or JavaScript file. Undefined for `src/main.ts`, or the file that exists of some others. */
  readonly entry: string | undefined;
  /** Command that compiles the program; undefined for the compiler of the project. */
  readonly build: string | undefined;
  /** Folders that are watched; empty for that of the entry. */
  readonly watch: readonly string[];
  /** Files with manifests that are applied once the operator is ready. */
  readonly apply: readonly string[];
  /** Kubeconfig of an existing cluster; undefined starts an embedded one. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Data directory of the embedded cluster; undefined keeps its state in memory. */
  readonly data: string | undefined;
  /** Namespace of the operator. It is created if it does not exist. */
  readonly namespace: string;
  /** Address at which the API server of an existing cluster reaches this machine; undefined installs no webhooks there. */
  readonly webhookHost: string | undefined;
  /** Port of the dashboard; 0 picks a free one. */
  readonly dashboardPort: number;
  /** Flags of the operator. */
  readonly flags: readonly string[];
}

/** Not `default`: webhooks are not called for objects in the namespace of their operator. */
const devNamespace = "homeostat-dev";

export const devOptions = {
  build: { type: "string" },
  watch: { type: "string", multiple: true },
  apply: { type: "string", multiple: true },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  data: { type: "string" },
  namespace: { type: "string" },
  "webhook-host": { type: "string" },
  "dashboard-port": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const hint = "See homeostat dev --help.";

/** Parses the arguments after `homeostat dev`. Throws a {@link UsageError} that lists all problems. */
export function readDevArguments(
  words: readonly string[],
): DevArguments | { readonly run: "help"; readonly of: "dev" } {
  const separator = words.indexOf("--");
  const own = separator < 0 ? words : words.slice(0, separator);
  const parse = () => parseArgs({ args: [...own], options: devOptions, allowPositionals: true });
  const { values, positionals } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "dev" };
  const { kubeconfig, context, data, namespace = devNamespace, "webhook-host": webhookHost } = values;
  const [entry, ...surplus] = positionals;
  const isExisting = kubeconfig !== undefined || context !== undefined;
  const problems = [
    ...(surplus.length > 0 ? [`one program can be given, got ${positionals.length}`] : []),
    ...(isExisting && data !== undefined
      ? ["--data is for the embedded cluster; remove --kubeconfig and --context"]
      : []),
    ...(!isExisting && webhookHost !== undefined ? ["--webhook-host requires --kubeconfig or --context"] : []),
    ...Object.entries(values)
      .filter(([, value]) => value === "" || (Array.isArray(value) && value.includes("")))
      .map(([name]) => `--${name} is empty`),
  ];
  if (problems.length > 0) throw new UsageError(`homeostat dev: ${problems.join("; ")}. ${hint}`);
  const port = values["dashboard-port"];
  return {
    run: "dev",
    entry,
    build: values.build,
    watch: values.watch ?? [],
    apply: values.apply ?? [],
    kubeconfig,
    context,
    data,
    namespace,
    webhookHost,
    dashboardPort: port === undefined ? 0 : parseIntegerOption("--dashboard-port", port, { min: 0, max: 65_535 }),
    flags: separator < 0 ? [] : words.slice(separator + 1),
  };
}

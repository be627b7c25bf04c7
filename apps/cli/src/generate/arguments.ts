import { parseArgs } from "node:util";
import { parseOptions, UsageError } from "@homeostat/core";

/** Parsed arguments of `homeostat generate types`. */
export interface GenerateTypesArguments {
  readonly run: "generate-types";
  /** Files, folders and `-` for standard input; empty to read the CRDs of a cluster. */
  readonly sources: readonly string[];
  /** Kubeconfig of the cluster; undefined finds it as kubectl does. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Groups and kinds to select; empty for all. */
  readonly groups: readonly string[];
  readonly kinds: readonly string[];
  /** Folder that the modules are written to. */
  readonly out: string;
  /** `types` writes interfaces and resource types, `definition` a `defineResource` for each kind. */
  readonly form: "types" | "definition";
}

export const generateOptions = {
  "from-crd": { type: "string", multiple: true },
  "from-cluster": { type: "boolean" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  group: { type: "string", multiple: true },
  kind: { type: "string", multiple: true },
  out: { type: "string" },
  definition: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const hint = "See homeostat generate types --help.";

/** Parses the arguments after `homeostat generate`. Throws a {@link UsageError} for an invalid command line. */
export function readGenerateArguments(
  words: readonly string[],
): GenerateTypesArguments | { readonly run: "help"; readonly of: "generate" } {
  const [what, ...rest] = words;
  if (what === undefined || what === "--help" || what === "-h") return { run: "help", of: "generate" };
  if (what !== "types") throw new UsageError(`homeostat generate cannot generate "${what}"; use types. ${hint}`);
  const parse = () => parseArgs({ args: rest, options: generateOptions, allowPositionals: false });
  const { values } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "generate" };
  const sources = values["from-crd"] ?? [];
  const isFromCluster = values["from-cluster"] === true;
  const problems = [
    ...(sources.length === 0 && !isFromCluster ? ["--from-crd FILE or --from-cluster is required"] : []),
    ...(sources.length > 0 && isFromCluster ? ["--from-crd and --from-cluster cannot be used together"] : []),
    ...(["kubeconfig", "context"] as const)
      .filter((name) => values[name] !== undefined && !isFromCluster)
      .map((name) => `--${name} requires --from-cluster`),
    ...Object.entries(values)
      .filter(([, value]) => value === "" || (Array.isArray(value) && value.includes("")))
      .map(([name]) => `--${name} is empty`),
  ];
  if (problems.length > 0) throw new UsageError(`${problems.join("; ")}. ${hint}`);
  return {
    run: "generate-types",
    sources,
    kubeconfig: values.kubeconfig,
    context: values.context,
    groups: values.group ?? [],
    kinds: values.kind ?? [],
    out: values.out ?? "types",
    form: values.definition === true ? "definition" : "types",
  };
}

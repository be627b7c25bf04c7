import { parseArgs } from "node:util";
import { parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";
import type { ClusterChoice } from "../load-cluster.ts";

/** Parsed arguments of `homeostat dashboard`. */
export interface DashboardArguments extends ClusterChoice {
  readonly run: "dashboard";
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
}

export const dashboardOptions = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  port: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Parses the arguments after `homeostat dashboard`. Throws a {@link UsageError} for an invalid command line. */
export function readDashboardArguments(
  words: readonly string[],
): DashboardArguments | { readonly run: "help"; readonly of: "dashboard" } {
  const parse = () => parseArgs({ args: [...words], options: dashboardOptions, allowPositionals: false });
  const { values } = parseOptions(parse, "See homeostat dashboard --help.");
  if (values.help === true) return { run: "help", of: "dashboard" };
  const { kubeconfig, context, port } = values;
  if (kubeconfig === "") throw new UsageError("--kubeconfig is empty; it must be the path of a file.");
  return {
    run: "dashboard",
    kubeconfig,
    context,
    port: port === undefined ? 0 : parseIntegerOption("--port", port, { min: 0, max: 65_535 }),
  };
}

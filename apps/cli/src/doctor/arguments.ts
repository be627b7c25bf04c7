import { parseArgs } from "node:util";
import { parseOptions, UsageError } from "@homeostat/core";
import type { ClusterChoice } from "../load-cluster.ts";

/** Parsed arguments of `homeostat doctor`. */
export interface DoctorArguments extends ClusterChoice {
  readonly run: "doctor";
  /** False to check this machine only. */
  readonly hasCluster: boolean;
}

export const doctorOptions = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  "machine-only": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const hint = "See homeostat doctor --help.";

/** Parses the arguments after `homeostat doctor`. Throws a {@link UsageError} for an invalid command line. */
export function readDoctorArguments(
  words: readonly string[],
): DoctorArguments | { readonly run: "help"; readonly of: "doctor" } {
  const parse = () => parseArgs({ args: [...words], options: doctorOptions, allowPositionals: false });
  const { values } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "doctor" };
  const { kubeconfig, context, "machine-only": machineOnly = false } = values;
  if (kubeconfig === "") throw new UsageError(`--kubeconfig is empty; it must be the path of a file. ${hint}`);
  if (machineOnly && (kubeconfig !== undefined || context !== undefined))
    throw new UsageError(
      `--machine-only checks no cluster and cannot be combined with --kubeconfig or --context. ${hint}`,
    );
  return { run: "doctor", kubeconfig, context, hasCluster: !machineOnly };
}

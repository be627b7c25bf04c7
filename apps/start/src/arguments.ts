import { parseArgs } from "node:util";
import { parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";

/** Parsed arguments of `npm start`. */
export interface StartArguments {
  readonly help: boolean;
  readonly version: boolean;
  /** Kubeconfig of the cluster to use; undefined starts an embedded cluster. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Port of the embedded API server; undefined for a free port. */
  readonly port: number | undefined;
  /** Port of the dashboard; undefined for a free port. */
  readonly dashboardPort: number | undefined;
  /** Namespace in which the samples are created. */
  readonly namespace: string;
  /** True if samples are created. */
  readonly hasSamples: boolean;
  /** True if the program exits when all samples have finished. */
  readonly isOnce: boolean;
  readonly isVerbose: boolean;
}

/** Default namespace of the samples. */
export const samplesNamespace = "homeostat-samples";

const options = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  port: { type: "string" },
  "dashboard-port": { type: "string" },
  namespace: { type: "string" },
  "no-samples": { type: "boolean" },
  once: { type: "boolean" },
  verbose: { type: "boolean" },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Parses the arguments after `npm start --`. Throws a {@link UsageError} for an invalid command line. */
export function readArguments(words: readonly string[]): StartArguments {
  const parse = () => parseArgs({ args: [...words], options, allowPositionals: false });
  const { values } = parseOptions(parse, "See npm start -- --help.");
  const { kubeconfig, context, port, "dashboard-port": dashboardPort, namespace = samplesNamespace } = values;
  if (kubeconfig !== undefined && port !== undefined)
    throw new UsageError("--port sets the port of the embedded cluster and cannot be combined with --kubeconfig.");
  if (kubeconfig === undefined && context !== undefined) throw new UsageError("--context requires --kubeconfig FILE.");
  if (values.once === true && values["no-samples"] === true)
    throw new UsageError("--once waits for the samples and cannot be combined with --no-samples.");
  if (kubeconfig === "") throw new UsageError("--kubeconfig is empty; it must be the path of a file.");
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new UsageError(
      `--namespace is ${JSON.stringify(namespace)}; it must be at most 63 lowercase letters, digits and dashes.`,
    );
  return {
    help: values.help === true,
    version: values.version === true,
    kubeconfig,
    context,
    port: port === undefined ? undefined : parseIntegerOption("--port", port, { min: 0, max: 65_535 }),
    dashboardPort:
      dashboardPort === undefined
        ? undefined
        : parseIntegerOption("--dashboard-port", dashboardPort, { min: 0, max: 65_535 }),
    namespace,
    hasSamples: values["no-samples"] !== true,
    isOnce: values.once === true,
    isVerbose: values.verbose === true,
  };
}

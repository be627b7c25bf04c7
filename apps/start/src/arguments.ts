import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

/** What `npm start` is asked for. */
export interface StartArguments {
  readonly help: boolean;
  /** The kubeconfig of the cluster to use; undefined for one of our own. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Where our own API server listens; undefined for a free port. */
  readonly port: number | undefined;
  /** Where the samples are made. */
  readonly namespace: string;
  /** Whether samples are made at all. */
  readonly hasSamples: boolean;
  /** Whether everything stops when the samples have come to their ends. */
  readonly isOnce: boolean;
  readonly isVerbose: boolean;
}

/** The namespace of the samples, when nobody names another. */
export const samplesNamespace = "homeostat-samples";

const options = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  port: { type: "string" },
  namespace: { type: "string" },
  "no-samples": { type: "boolean" },
  once: { type: "boolean" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads the words after `npm start --`. Throws a {@link UsageError}. */
export function readArguments(words: readonly string[]): StartArguments {
  const values = valuesOf(words);
  const { kubeconfig, context, port, namespace = samplesNamespace } = values;
  if (kubeconfig !== undefined && port !== undefined)
    throw new UsageError("--port is for a cluster that is started here; with --kubeconfig there is none.");
  if (kubeconfig === undefined && context !== undefined)
    throw new UsageError("--context is one of a kubeconfig: say which with --kubeconfig FILE.");
  if (values.once === true && values["no-samples"] === true)
    throw new UsageError("--once waits for the samples, and with --no-samples there are none.");
  if (kubeconfig === "") throw new UsageError("--kubeconfig is empty; it must name a file.");
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new UsageError(
      `--namespace is ${JSON.stringify(namespace)}; it must be small letters, digits and dashes, 63 at most.`,
    );
  return {
    help: values.help === true,
    kubeconfig,
    context,
    port: port === undefined ? undefined : portOf(port),
    namespace,
    hasSamples: values["no-samples"] !== true,
    isOnce: values.once === true,
    isVerbose: values.verbose === true,
  };
}

function valuesOf(words: readonly string[]): ReturnType<typeof parse>["values"] {
  try {
    return parse(words).values;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${problem.replace(/\.?$/, ".")} See npm start -- --help.`, { cause: error });
  }
}

function parse(words: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof options }>> {
  return parseArgs({ args: [...words], options, allowPositionals: false });
}

function portOf(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (number >= 0 && number <= 65_535) return number;
  throw new UsageError(`--port is ${JSON.stringify(text)}; it must be a whole number from 0 to 65535.`);
}

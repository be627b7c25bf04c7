import { durationToMs, tryParseDuration, UsageError } from "@homeostat/core";

/** Options of all commands that talk to a cluster. */
export interface ConnectionArguments {
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly timeoutMs: number;
  readonly output: "text" | "json";
}

/** Options of `parseArgs` for them. */
export const connectionOptions = {
  namespace: { type: "string", short: "n" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  timeout: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

const timeoutMsDefault = 30_000;
const timeoutMsMax = 3_600_000;

interface ConnectionValues {
  readonly namespace?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly timeout?: string | undefined;
  readonly output?: string | undefined;
}

/** Returns the options of the connection. */
export function connectionOf(values: ConnectionValues): ConnectionArguments {
  const { namespace, kubeconfig, context, output = "text" } = values;
  if (output !== "text" && output !== "json")
    throw new UsageError(`--output is ${JSON.stringify(output)}; it must be text or json.`);
  return { namespace, kubeconfig, context, timeoutMs: timeoutOf(values.timeout), output };
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return timeoutMsDefault;
  const parsed = tryParseDuration(text);
  const ms = parsed === undefined ? NaN : durationToMs(parsed);
  if (ms > 0 && ms <= timeoutMsMax) return ms;
  throw new UsageError(`--timeout is ${JSON.stringify(text)}; it must be a duration such as 30s, at most 1h.`);
}

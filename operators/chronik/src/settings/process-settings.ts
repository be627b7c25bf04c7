// Settings that must be known before the operator is defined, and environment variables that flags cannot read by themselves.

import { type Environment, type EnvironmentReader, readEnvironment } from "@homeostat/operator";
import { logLevelFrom } from "./log-level.ts";

/** Settings of the process. */
export interface ProcessSettings {
  /** Limits of the requests to the API server. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** Version that clusters record; undefined to use the version of the program. */
  readonly version: string | undefined;
  /** The environment with the variables that the flags of every operator read. */
  readonly env: Environment;
}

/**
 * Reads the settings of the process. Throws a `ConfigurationError` that lists every bad value in one line.
 *
 * Unlike `readEnvironment`, it does not replace an invalid value with the default: a mistyped limit must be found at startup, not
 * in production.
 */
export function readProcessSettings(env: Environment): ProcessSettings {
  const { settings } = readEnvironment(env, (reader) => {
    const read = {
      rateLimit: {
        perSecond: reader.integer("API_QPS", { fallback: 20, min: 1, max: 10_000 }),
        burst: reader.integer("API_BURST", { fallback: 40, min: 1, max: 100_000 }),
      },
      version: reader.text("OPERATOR_VERSION", "") || undefined,
      env: { ...env, ...readRunVariables(reader, env) },
    };
    for (const { variable, message } of reader.warnings) {
      const [problem = message] = message.replace(`${variable} is `, "").split(". The default is used");
      reader.problems.push({ variable, message: problem });
    }
    return read;
  });
  return settings;
}

/** Returns the variables of the flags of every operator, from those of this operator, and their other defaults. */
function readRunVariables(reader: EnvironmentReader, env: Environment): Environment {
  const logLevel = readLogLevel(reader);
  const isMetricsOff = !reader.boolean("METRICS_ENABLED", true);
  return {
    ...(logLevel !== undefined && { LOG_LEVEL: logLevel }),
    ...(isMetricsOff && { METRICS_BIND_ADDRESS: "0" }),
    LEADER_ELECT: env["LEADER_ELECT"] ?? env["LEADER_ELECTION"] ?? "true",
    ENABLE_WEBHOOKS: env["ENABLE_WEBHOOKS"] ?? env["ENABLE_WEBHOOK"] ?? "false",
  };
}

function readLogLevel(reader: EnvironmentReader): string | undefined {
  for (const variable of ["LOG_LEVEL", "RUST_LOG"]) {
    const text = reader.text(variable, "");
    if (text === "") continue;
    const level = logLevelFrom(text);
    if (level !== undefined) return level;
    reader.problems.push({
      variable,
      message: `${JSON.stringify(text.slice(0, 100))} is not a log level or a list such as info,chronik_operator=debug`,
    });
    return undefined;
  }
  return undefined;
}

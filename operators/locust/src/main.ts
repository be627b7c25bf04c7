#!/usr/bin/env node
// The program: reads the environment and runs the operator.

import { runOperator } from "homeostat";
import { UsageError } from "@homeostat/operator";
import { locustOperator } from "./operator.ts";
import { runArguments } from "./settings/run-arguments.ts";
import { readSettings } from "./settings/settings.ts";
import { ConfigurationError } from "./settings/variables.ts";

/** Defaults of the Go operator, where they differ from the runtime's. */
const defaults = {
  METRICS_BIND_ADDRESS: "0",
  METRICS_SECURE: "true",
  ENABLE_WEBHOOKS: "false",
  WEBHOOK_CERT_WAIT_TIMEOUT: "2m",
};

try {
  const env = { ...defaults, ...process.env };
  const { argv, warnings, problems } = runArguments(process.argv.slice(2));
  if (problems.length > 0) throw new UsageError(problems);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  process.exitCode = await runOperator(locustOperator(readSettings(env)), { argv, env });
} catch (error) {
  if (!(error instanceof ConfigurationError || error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

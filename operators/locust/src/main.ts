#!/usr/bin/env node
// The program: reads the environment and runs the operator.

import { runOperator, UsageError } from "@homeostat/operator";
import { ConfigurationError } from "./settings/errors.ts";
import { readConfig } from "./settings/read-settings.ts";
import { runArguments } from "./settings/run-arguments.ts";
import { locustOperator } from "./operator.ts";

/** What holds unless somebody says otherwise: as in the operator that this one takes the place of. */
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
  process.exitCode = await runOperator(locustOperator(readConfig(env)), { argv, env });
} catch (error) {
  if (!(error instanceof ConfigurationError || error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

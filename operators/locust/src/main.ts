#!/usr/bin/env node
// The program: reads the environment and runs the operator.

import { ConfigurationError, runOperator } from "homeostat";
import { locustOperator } from "./operator.ts";
import { readSettings } from "./settings/settings.ts";

/** Defaults of the Go operator, where they differ from the runtime's. */
const defaults = {
  METRICS_BIND_ADDRESS: "0",
  METRICS_SECURE: "true",
  ENABLE_WEBHOOKS: "false",
  WEBHOOK_CERT_WAIT_TIMEOUT: "2m",
};

try {
  const env = { ...defaults, ...process.env };
  process.exitCode = await runOperator(locustOperator(readSettings(env)), { env });
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

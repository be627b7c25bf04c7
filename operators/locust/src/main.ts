#!/usr/bin/env node
// The program: reads the environment and runs the operator.

import { runOperator } from "@homeostat/operator";
import { ConfigurationError } from "./config/errors.ts";
import { readConfig } from "./config/read-config.ts";
import { locustOperator } from "./operator.ts";

/** What holds unless somebody says otherwise: as in the operator that this one takes the place of. */
const defaults = { METRICS_BIND_ADDRESS: "0", ENABLE_WEBHOOKS: "false" };

try {
  const env = { ...defaults, ...process.env };
  process.exitCode = await runOperator(locustOperator(readConfig(env)), { env });
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

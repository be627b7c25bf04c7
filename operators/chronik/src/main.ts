#!/usr/bin/env node
// Runs the operator.

import { runOperator } from "homeostat";
import { chronikOperator } from "./operator.ts";
import { readProcessSettings } from "./settings/process-settings.ts";

const { rateLimit, version, env } = readProcessSettings(process.env);
process.exitCode = await runOperator(chronikOperator({ rateLimit, version }), { env });

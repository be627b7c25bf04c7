#!/usr/bin/env node
// Runs the operator.

import { runOperator } from "homeostat";
import { tenantOperator } from "./operator.ts";

process.exitCode = await runOperator(tenantOperator());

#!/usr/bin/env node
// The program: reads the command line and runs the operator.

import { runOperator } from "@homeostat/operator";
import { tenantOperator } from "./operator.ts";
import { namespaceIn, runArguments, runEnvironment } from "./settings/run-arguments.ts";

const given = process.argv.slice(2);
const operator = tenantOperator({ operatorNamespace: namespaceIn(given, process.env) });
process.exitCode = await runOperator(operator, { argv: runArguments(given), env: runEnvironment(process.env) });

#!/usr/bin/env node
// Runs the operator.

import { runOperator } from "homeostat";
import { sandboxOperator } from "./operator.ts";

process.exitCode = await runOperator(sandboxOperator());

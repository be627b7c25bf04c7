#!/usr/bin/env node
// Runs the tunnel server.

import { runOperator } from "@homeostat/operator";
import { tunnelOperator } from "./operator.ts";

process.exitCode = await runOperator(tunnelOperator());

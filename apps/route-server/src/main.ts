#!/usr/bin/env node
// Runs the route server.

import { runOperator } from "@homeostat/operator";
import { routeServerOperator } from "./operator.ts";

process.exitCode = await runOperator(routeServerOperator());

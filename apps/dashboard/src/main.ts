#!/usr/bin/env node
// Runs the dashboard in a cluster.

import { runOperator } from "@homeostat/operator";
import { dashboardOperator } from "./operator.ts";

// The image has the files of the page beside the program.
process.exitCode = await runOperator(dashboardOperator({ assets: new URL("assets/", import.meta.url) }));

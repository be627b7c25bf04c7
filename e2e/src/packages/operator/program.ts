// The complete program of an operator, as a user would write it.

import { runOperator } from "homeostat";
import { siteOperator } from "./sites.ts";

process.exitCode = await runOperator(siteOperator);

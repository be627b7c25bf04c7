import type { ModeName } from "../arguments.ts";
import type { Mode } from "../mode.ts";
import { idle } from "./idle.ts";
import { latency } from "./latency.ts";
import { relist, restart } from "./restart.ts";
import { sync } from "./sync.ts";
import { throughput } from "./throughput.ts";

/** All modes by name. */
export const modes: Readonly<Record<ModeName, Mode>> = { sync, latency, throughput, idle, restart, relist };

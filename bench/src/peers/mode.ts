import type { PeerOptions } from "./arguments.ts";
import type { RuntimeProcess, Task } from "./runtime-process.ts";
import type { BenchContext } from "../harness/interruptible.ts";
import type { Server } from "./server.ts";
import type { Column } from "./table.ts";

/** Context of one run of one runtime. */
export interface RunContext extends BenchContext {
  readonly server: Server;
  readonly options: PeerOptions;
  /** Number of objects to cache. */
  readonly objects: number;
  /** Memory of the runtime with an empty cache, in bytes; undefined when not measured. */
  readonly emptyRss: number | undefined;
  /** Starts the runtime. */
  readonly start: (task: Task) => RuntimeProcess;
  /** Called after the measurement, while the runtime still runs. */
  readonly beforeEnd: (process: RuntimeProcess) => Promise<void>;
}

/** A measurement mode. */
export interface Mode {
  /** Title of the table. */
  readonly title: (context: Pick<RunContext, "options" | "objects">) => string;
  readonly columns: readonly Column[];
  /** Runs one runtime once. Returns values by the measure names of the columns; other values appear only in the JSON file. */
  readonly run: (context: RunContext) => Promise<Readonly<Record<string, number>>>;
}

/** Timeout of a sync, longer than any successful one takes. */
export const syncTimeoutMs = 15 * 60_000;

export const megabyte = 1e6;

import type { PeerOptions } from "./arguments.ts";
import type { ContestantProcess, Task } from "./contestant-process.ts";
import type { BenchContext } from "../harness/interruptible.ts";
import type { Server } from "./server.ts";
import type { Column } from "./table.ts";

/** What one run of one contestant has to work with. */
export interface RunContext extends BenchContext {
  readonly server: Server;
  readonly options: PeerOptions;
  /** How many objects there are to cache. */
  readonly objects: number;
  /** What the contestant's process takes with nothing cached, in bytes; undefined when it was not measured. */
  readonly emptyRss: number | undefined;
  /** Starts the contestant. */
  readonly start: (task: Task) => ContestantProcess;
  /** Called when all is measured and the contestant still runs. */
  readonly beforeEnd: (process: ContestantProcess) => Promise<void>;
}

/** A kind of measurement. */
export interface Mode {
  /** What the table is about. */
  readonly title: (context: Pick<RunContext, "options" | "objects">) => string;
  readonly columns: readonly Column[];
  /** Runs one contestant once. The numbers are named as in the columns; further ones go to the JSON only. */
  readonly run: (context: RunContext) => Promise<Readonly<Record<string, number>>>;
}

/** Longer than anything that works takes. */
export const syncTimeoutMs = 15 * 60_000;

export const megabyte = 1e6;

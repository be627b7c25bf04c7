import type { Client, ServerConnection } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { ConnectionArguments } from "./input.ts";

/** A cluster, and the namespace of objects that name none. */
export interface Cluster extends Disposable {
  readonly client: Client;
  readonly namespace: string;
  /** Clock of the API server, for times that its controllers compare. */
  readonly serverClock: Pick<Clock, "now">;
  /** Opens a connection to the API server with the same credentials, for protocols that the client does not speak. */
  readonly dial: (signal: AbortSignal) => Promise<ServerConnection>;
}

/** Folders and names of the machine that commands run on. */
export interface Machine {
  /** Environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder with the configuration file and the key of the machine. */
  readonly configFolder: string;
  /** Folder with the state of running tunnels. */
  readonly stateFolder: string;
  /** Name of the machine, shown to other users. */
  readonly host: string;
}

/** Parts of the process that commands use. */
export interface CommandContext {
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly note: (line: string) => void;
  /** Returns the whole standard input. */
  readonly readInput: () => Promise<string>;
  /** Connects to the cluster. */
  readonly connect: (args: ConnectionArguments) => Promise<Cluster>;
  /** Aborted to stop the command, and at its time limit. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly machine: Machine;
}

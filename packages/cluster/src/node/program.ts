import type { Clock, Random } from "@homeostat/core";
import type { Exit } from "./exit.ts";
import type { Network } from "./network.ts";

/** How a command that was run inside a container ended. */
export interface CommandResult {
  readonly ok: boolean;
  /** What it printed. */
  readonly output: string;
}

/** What runs in a container, while it runs. */
export interface RunningProgram {
  /** Whether it is true to life about ports: one that it does not listen on refuses connections. Else every probe of one succeeds. */
  readonly servesPorts?: boolean;
  /** Asks it to end, as SIGTERM does. It calls `exit` when it has. */
  terminate(): void;
  /** Ends it at once and frees all it holds. `exit` need not be called, and does nothing any more. */
  kill(): void;
  /**
   * Runs a command beside it, as an exec probe does; `pauseMs` says how long the command takes.
   *
   * Undefined for a command that it does not know: that one succeeds.
   */
  exec?(
    command: readonly string[],
  ): (CommandResult & { readonly pauseMs: number }) | Promise<CommandResult> | undefined;
}

/** What a program knows of the container it runs in. */
export interface ProgramContext {
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly ip: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly container: {
    readonly name: string;
    readonly image: string;
    /** `command` and `args` of the container, with `$(NAME)` replaced. Empty when the image's own are used. */
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly port: number }[];
  };
  readonly env: ReadonlyMap<string, string>;
  /** What a script tells the model: see `Script.options`. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** How often the container was started before. */
  readonly restarts: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  /** The files of the volumes that are mounted from ConfigMaps and Secrets. */
  readonly files: ReadonlyMap<string, string>;
  /** Prints lines. A text without an end of line gets one. */
  readonly print: (text: string) => void;
  /** Ends the container. Only the first call counts. */
  readonly exit: (exit: Exit) => void;
}

/**
 * A simulation of one program, handed to the nodes of an embedded cluster: `startCluster({ models: [storeModel] })`.
 *
 * The node asks each model in turn whether it runs a container, and starts the first that does.
 */
export interface AppModel {
  /** The name by which the `model` of a script selects it: `store`. */
  readonly name: string;
  /** Reports whether the model simulates this container, usually by the name of its image. */
  runs(container: ProgramContext["container"]): boolean;
  /** Starts the program. It may open sockets later; it closes all of them on `kill`, and before it calls `exit`. */
  start(context: ProgramContext): RunningProgram;
}

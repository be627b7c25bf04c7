import type { Clock, Random } from "@homeostat/core";
import type { VolumeFiles } from "./disks.ts";
import type { Exit } from "./exit.ts";
import type { Network } from "./network.ts";

/** The result of a command that was run inside a container. */
export interface CommandResult {
  readonly ok: boolean;
  /** Output of the command. */
  readonly output: string;
}

/** The target of an HTTP or TCP probe. */
export interface ProbeTarget {
  readonly port: number;
  /** Undefined for a TCP probe. */
  readonly path: string | undefined;
}

/** A program running in a container. */
export interface RunningProgram {
  /**
   * True if the program really listens on its ports, so that probes of other ports are refused. Otherwise every port
   * probe succeeds.
   */
  readonly servesPorts?: boolean;
  /**
   * Handles a probe without a socket, so that its result does not depend on real time: a `FakeClock` does not wait for sockets. Returns the
   * HTTP status, any number for a TCP probe, and undefined if the program does not listen on the port.
   *
   * Without it, probes connect to the port.
   */
  probe?(target: ProbeTarget): number | undefined;
  /** Requests an orderly stop, as SIGTERM does. The program calls `exit` when it has stopped. */
  terminate(): void;
  /** Stops the program at once and releases all its resources. `exit` need not be called and is ignored afterwards. */
  kill(): void;
  /**
   * Runs a command in the container, as an exec probe does; `pauseMs` is the time the command takes.
   *
   * Returns undefined for an unknown command, which then counts as successful.
   */
  exec?(
    command: readonly string[],
  ): (CommandResult & { readonly pauseMs: number }) | Promise<CommandResult> | undefined;
}

/** The environment in which a program runs. */
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
    /** `command` and `args` of the container with `$(NAME)` expanded. Empty when the image's own are used. */
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly port: number }[];
  };
  readonly env: ReadonlyMap<string, string>;
  /** Options from the script: see `Script.options`. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Number of earlier starts of the container. */
  readonly restarts: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  /** Files of mounted ConfigMaps and Secrets, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Persistent volumes and `emptyDir` volumes, by mount path. What a program writes there, its next start finds again. */
  readonly volumes: ReadonlyMap<string, VolumeFiles>;
  /** Prints lines. A text without a line break at its end counts as a whole line. */
  readonly print: (text: string) => void;
  /** Ends the container. Only the first call counts. */
  readonly exit: (exit: Exit) => void;
}

/**
 * A simulation of one program, passed to the nodes of an embedded cluster: `startCluster({ models: [storeModel] })`.
 *
 * The node starts the first model whose `runs` returns true for a container.
 */
export interface AppModel {
  /** Name by which the `model` of a script selects it: `store`. */
  readonly name: string;
  /** Reports whether the model simulates this container, usually by the name of its image. */
  runs(container: ProgramContext["container"]): boolean;
  /** Starts the program. It may open sockets later; it closes all of them on `kill`, and before it calls `exit`. */
  start(context: ProgramContext): RunningProgram;
}

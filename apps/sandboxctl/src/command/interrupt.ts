import { constants } from "node:os";

/** Signals that stop a command. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The reason with which the signal of a command aborts when the process receives a signal. */
export class Interrupt extends Error {
  readonly signal: StopSignal;

  constructor(signal: StopSignal) {
    super(`The process received ${signal}.`);
    this.signal = signal;
  }
}

/** Returns the signal that stopped a command, from the reason of an aborted signal. */
export function stopSignalOf(reason: unknown): StopSignal {
  return reason instanceof Interrupt ? reason.signal : "SIGINT";
}

/** Returns the exit code of a process that a signal ends, as shells report it. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

import type { CrashOrigin, Manager } from "./manager.ts";

/** Source of signals and unhandled errors: Node's `process`. */
export interface SignalSource {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  on(origin: CrashOrigin, listener: (error: unknown) => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(origin: CrashOrigin, listener: (error: unknown) => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a manager until SIGTERM or SIGINT, and resolves with the exit code: 0, or 1 when the manager failed.
 *
 * A second signal exits at once. Errors are in the log. An unhandled rejection or an uncaught exception stops the manager like a failed part,
 * so that the lease is released, and then exits the process with 1 even if something else keeps it alive. The signal handlers are removed before
 * this function resolves.
 *
 * @example
 * process.exitCode = await runUntilSignal(createManager({ name: "tenants", connection, controllers: [tenants] }));
 */
export async function runUntilSignal(
  manager: Pick<Manager, "run" | "crash">,
  source: SignalSource = process,
): Promise<number> {
  const stop = new AbortController();
  const listenerFor = (signal: keyof typeof exitCodes) => () => {
    if (stop.signal.aborted) {
      source.stderr.write(`Received ${signal} again, exiting immediately.\n`);
      source.exit(exitCodes[signal]);
    } else stop.abort(new Error(`Received ${signal}`));
  };
  const onTerm = listenerFor("SIGTERM");
  const onInterrupt = listenerFor("SIGINT");
  let hasCrashed = false;
  const crasher = (origin: CrashOrigin) => (error: unknown) => {
    hasCrashed = true;
    manager.crash(origin, error);
  };
  const onRejection = crasher("unhandledRejection");
  const onException = crasher("uncaughtException");
  source.on("SIGTERM", onTerm);
  source.on("SIGINT", onInterrupt);
  source.on("unhandledRejection", onRejection);
  source.on("uncaughtException", onException);
  try {
    await manager.run(stop.signal);
    return 0;
  } catch {
    // The manager has logged the error. After a crash, exit as Node would have done without our handlers.
    if (hasCrashed) source.exit(1);
    return 1;
  } finally {
    source.off("SIGTERM", onTerm);
    source.off("SIGINT", onInterrupt);
    source.off("unhandledRejection", onRejection);
    source.off("uncaughtException", onException);
  }
}

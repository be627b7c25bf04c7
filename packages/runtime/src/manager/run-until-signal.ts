import type { CrashOrigin, Manager } from "./manager.ts";

/** The part of a process that signals and unhandled errors come through: Node's `process`. */
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
 * Runs a manager until SIGTERM or SIGINT, and resolves with the code to exit with: 0, or 1 when it failed.
 *
 * A second signal exits at once. What went wrong is in the log. An error that nothing handles (an unhandled rejection, an uncaught
 * exception) stops the manager as a failed part does, so that the lease is released, and then the process exits with 1, whatever
 * else keeps it alive. Its handlers are gone when it resolves.
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
      source.stderr.write(`${signal} again: exiting at once, whatever is under way.\n`);
      source.exit(exitCodes[signal]);
    } else stop.abort(new Error(`${signal} was received`));
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
    // The manager has logged it. Without a handler, Node would have ended the process at once.
    if (hasCrashed) source.exit(1);
    return 1;
  } finally {
    source.off("SIGTERM", onTerm);
    source.off("SIGINT", onInterrupt);
    source.off("unhandledRejection", onRejection);
    source.off("uncaughtException", onException);
  }
}

import type { Manager } from "./manager.ts";

/** The part of a process that signals come through: Node's `process`. */
export interface SignalSource {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a manager until SIGTERM or SIGINT, and resolves with the code to exit with: 0, or 1 when it failed.
 *
 * A second signal exits at once. What went wrong is in the log. Its handlers are gone when it resolves.
 *
 * @example
 * process.exitCode = await runUntilSignal(createManager({ name: "tenants", connection, controllers: [tenants] }));
 */
export async function runUntilSignal(manager: Pick<Manager, "run">, source: SignalSource = process): Promise<number> {
  const stop = new AbortController();
  const listenerFor = (signal: keyof typeof exitCodes) => () => {
    if (stop.signal.aborted) {
      source.stderr.write(`${signal} again: exiting at once, whatever is under way.\n`);
      source.exit(exitCodes[signal]);
    } else stop.abort(new Error(`${signal} was received`));
  };
  const onTerm = listenerFor("SIGTERM");
  const onInterrupt = listenerFor("SIGINT");
  source.on("SIGTERM", onTerm);
  source.on("SIGINT", onInterrupt);
  try {
    await manager.run(stop.signal);
    return 0;
  } catch {
    // The manager has logged it.
    return 1;
  } finally {
    source.off("SIGTERM", onTerm);
    source.off("SIGINT", onInterrupt);
  }
}

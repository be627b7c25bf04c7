/** Context of a long run. */
export interface BenchContext {
  /** Aborted when the user interrupts the run. */
  readonly signal: AbortSignal;
  /** Prints progress with the elapsed time. */
  readonly report: (line: string) => void;
}

/** Runs interruptible work: the first Ctrl-C lets it clean up, the second exits at once. */
export async function interruptible(work: (context: BenchContext) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    console.error("Stopping and cleaning up. Press Ctrl-C again to exit at once.");
    stop.abort(new Error("interrupted"));
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  const begun = performance.now();
  const report = (line: string): void => {
    console.error(`[${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s] ${line}`);
  };
  try {
    await work({ signal: stop.signal, report });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = 130;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

/** What a run that takes long works with. */
export interface Surroundings {
  /** Aborts when somebody wants it to end. */
  readonly signal: AbortSignal;
  /** Says how far it is, and since when. */
  readonly report: (line: string) => void;
}

/** Does work that may be interrupted: once to let it clean up, twice to leave at once. */
export async function interruptible(work: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    console.error("stopping and cleaning up; once more to leave at once");
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

/** Stops an operation on field ownership; `message` is what the API server says. It never leaves a field manager. */
export class ApplyFault extends Error {
  override readonly name = "ApplyFault";
}

/** Does something, and says in the fault it may end in what was being done. */
export function during<T>(doing: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ApplyFault)) throw error;
    throw new ApplyFault(`${doing}: ${error.message}`, { cause: error });
  }
}

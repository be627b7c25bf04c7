/**
 * An error that stops an operation on field ownership. `message` is the text the API server responds with.
 * `FieldManager` catches it: an update then drops `managedFields`, an apply fails.
 */
export class ApplyFault extends Error {
  override readonly name = "ApplyFault";
}

/**
 * Calls `run` and prefixes the message of an {@link ApplyFault} that it throws with `doing`, as Go's `fmt.Errorf("%s:
 * %w")` does.
 */
export function withErrorPrefix<T>(doing: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ApplyFault)) throw error;
    throw new ApplyFault(`${doing}: ${error.message}`, { cause: error });
  }
}

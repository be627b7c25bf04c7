/** Polls until `look` returns a value, for at most one second of real time. Needed for sockets, which do not follow virtual time. */
export async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let attempts = 0; attempts < 500; attempts += 1) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error("Timed out after one second");
}

/** Polls until `look` returns a value, for at most a second of real time: sockets do not follow a fake clock. */
export async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let attempts = 0; attempts < 500; attempts += 1) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error("Timed out after one second");
}

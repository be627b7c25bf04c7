/** Reports whether work takes more than 100 ms in each of three attempts; a single slow one may be the machine's fault. */
export function isSlow(work: () => void): boolean {
  for (let attempts = 0; attempts < 3; attempts += 1) {
    const before = process.hrtime.bigint();
    work();
    if (process.hrtime.bigint() - before < 100_000_000n) return false;
  }
  return true;
}

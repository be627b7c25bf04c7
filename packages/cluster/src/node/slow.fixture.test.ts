/** Whether something takes more than 100 ms, three times in a row: once may be the machine's fault. */
export function isSlow(work: () => void): boolean {
  for (let tries = 0; tries < 3; tries += 1) {
    const before = process.hrtime.bigint();
    work();
    if (process.hrtime.bigint() - before < 100_000_000n) return false;
  }
  return true;
}

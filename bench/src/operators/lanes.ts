/** Number of concurrent requests of the driver. */
const lanes = 32;

/** Runs `work` for every index, with limited concurrency. */
export async function forAll(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}

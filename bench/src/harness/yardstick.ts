/** Name of the yardstick among the subjects. */
export const yardstickName = "(yardstick)";

const text = JSON.stringify(
  Array.from({ length: 40 }, (_, i) => ({
    name: `entry-${i}`,
    value: i * 7919,
    labels: { app: "web", tier: `${i % 4}` },
  })),
);

/**
 * Reference workload of fixed size that measures the current speed of the machine and of V8: parsing, maps,
 * strings and small objects, as in the measured code.
 *
 * Changing it invalidates every recorded ratio.
 */
export function yardstick(): number {
  const entries = JSON.parse(text) as { name: string; value: number; labels: Record<string, string> }[];
  const byName = new Map(entries.map((entry) => [`${entry.labels["tier"]}/${entry.name}`, entry]));
  let sum = 0;
  for (const [key, { value }] of byName) sum += value + key.length;
  return sum;
}

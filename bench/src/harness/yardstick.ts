/** The name under which the yardstick takes its turn. */
export const yardstickName = "(yardstick)";

const text = JSON.stringify(
  Array.from({ length: 40 }, (_, i) => ({
    name: `entry-${i}`,
    value: i * 7919,
    labels: { app: "web", tier: `${i % 4}` },
  })),
);

/**
 * A piece of work of fixed size, which stands for the speed of this machine and this engine at this moment: parsing, maps,
 * strings and small objects, as in the code that is measured against it.
 *
 * Changing it makes every recorded ratio worthless.
 */
export function yardstick(): number {
  const entries = JSON.parse(text) as { name: string; value: number; labels: Record<string, string> }[];
  const byName = new Map(entries.map((entry) => [`${entry.labels["tier"]}/${entry.name}`, entry]));
  let sum = 0;
  for (const [key, { value }] of byName) sum += value + key.length;
  return sum;
}

/** The numbers that are there: in a status nothing is undefined. */
export function told<K extends string>(values: Readonly<Record<K, number | undefined>>): Partial<Record<K, number>> {
  const kept: Partial<Record<K, number>> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

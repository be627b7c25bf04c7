/** A number with at most two decimals, as the status shows rates and times; undefined stays so. */
export function rounded(value: number): number;
export function rounded(value: number | undefined): number | undefined;
export function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 100) / 100;
}

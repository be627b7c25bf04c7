import type { Decimal } from "./decimal.ts";

/**
 * Returns a quantity as a double, computed like Kubernetes: the mantissa as a double, times a power of ten as a double.
 *
 * This rounds twice, so the last bit may differ from the nearest double. CEL rules compare such values, so the result must be the
 * same as that of Kubernetes.
 */
export function approximate({ mantissa, scale }: Decimal): number {
  const base = Number(mantissa);
  return scale === 0 ? base : base * powerOfTen(scale);
}

// Go multiplies two table entries, 10 ** (32 × i) and 10 ** j; both are doubles next to the true power.
const step = 32;
const powersMax = 308;
const powersMin = -323;

function powerOfTen(exponent: number): number {
  if (exponent > powersMax) return Infinity;
  if (exponent < powersMin) return 0;
  const size = Math.abs(exponent);
  const steps = Math.floor(size / step);
  const rest = Number(`1e${size % step}`);
  return exponent >= 0 ? Number(`1e${steps * step}`) * rest : Number(`1e-${steps * step}`) / rest;
}

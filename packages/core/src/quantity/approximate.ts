import type { Decimal } from "./decimal.ts";

/**
 * The nearest double as Kubernetes computes it: the mantissa as a double, times a power of ten as a double.
 *
 * Two roundings, so the last bit may differ from the nearest double; CEL rules compare it, so it must differ alike.
 */
export function approximate({ mantissa, scale }: Decimal): number {
  const base = Number(mantissa);
  return scale === 0 ? base : base * powerOfTen(scale);
}

// Go multiplies two table entries, 10 ** (32 × i) and 10 ** j; both are doubles next to the true power.
const step = 32;
const powersMax = 308;
const powersMin = -323;
const small = Array.from({ length: step }, (_, exponent) => Number(`1e${exponent}`));
const large = Array.from({ length: 10 }, (_, index) => Number(`1e${index * step}`));
const tiny = Array.from({ length: 11 }, (_, index) => Number(`1e-${index * step}`));

function powerOfTen(exponent: number): number {
  if (exponent > powersMax) return Infinity;
  if (exponent < powersMin) return 0;
  const size = Math.abs(exponent);
  const steps = Math.floor(size / step);
  const rest = small[size % step] ?? Number.NaN;
  return exponent >= 0 ? (large[steps] ?? Number.NaN) * rest : (tiny[steps] ?? Number.NaN) / rest;
}

import { ArgumentError } from "@homeostat/core";

/** A range of IPv4 addresses, as numbers. `first` is the network address. */
export interface AddressRange {
  /** The range as configured: `10.96.0.0/12`. */
  readonly text: string;
  readonly first: number;
  readonly size: number;
}

/** Parses a range of IPv4 addresses in CIDR notation, such as `10.96.0.0/12`. Throws an `ArgumentError` for anything else. */
export function parseRange(text: string): AddressRange {
  const [address = "", bits = ""] = text.split("/");
  const number = addressNumber(address);
  if (number === undefined || !/^([0-9]|[12][0-9]|3[0-2])$/.test(bits) || text.split("/").length !== 2) {
    throw new ArgumentError({
      argument: "range",
      problem: `is not an IPv4 range in CIDR notation: ${text}. Use a range such as 10.96.0.0/12.`,
    });
  }
  const size = 2 ** (32 - Number(bits));
  return { text, first: number - (number % size), size };
}

/** Returns an IPv4 address as a number; undefined for anything else. */
export function addressNumber(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Returns a number as an IPv4 address. */
export function addressText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

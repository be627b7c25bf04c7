import { ArgumentError } from "@homeostat/core";

/** A range of IPv4 addresses, as numbers: from the network's own address to the last. */
export interface AddressRange {
  /** As it was written: `10.96.0.0/12`. */
  readonly text: string;
  readonly first: number;
  readonly size: number;
}

/** Reads a range of IPv4 addresses such as `10.96.0.0/12`. Throws an `ArgumentError` for anything else. */
export function parseRange(text: string): AddressRange {
  const [address = "", bits = ""] = text.split("/");
  const number = addressNumber(address);
  if (number === undefined || !/^([0-9]|[12][0-9]|3[0-2])$/.test(bits) || text.split("/").length !== 2) {
    throw new ArgumentError({
      argument: "range",
      problem: `is no range of IPv4 addresses: ${text}. Give one such as 10.96.0.0/12.`,
    });
  }
  const size = 2 ** (32 - Number(bits));
  return { text, first: number - (number % size), size };
}

/** An IPv4 address as a number; undefined for what is none. */
export function addressNumber(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** A number as an IPv4 address. */
export function addressText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

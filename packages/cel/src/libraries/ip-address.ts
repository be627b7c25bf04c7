import { quote } from "./go-quote.ts";
import { Malformed } from "./malformed.ts";

/** An IP address. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16 bytes in network byte order. */
  readonly bytes: readonly number[];
  /** Zone of an IPv6 address (`fe80::1%eth0`); empty if there is none. */
  readonly zone: string;
}

/** Parses an address, or returns the problem. Accepts zones and IPv4-mapped IPv6 addresses. */
export function parseIpAddress(text: string): IpAddress | Malformed {
  const sign = /[.:%]/.exec(text)?.[0];
  if (sign === undefined) return malformed(text, "unable to parse IP");
  if (sign === "%") return malformed(text, "missing IPv6 address");
  if (sign === ":") return parseVersion6(text);
  const bytes = parseVersion4(text, text);
  return bytes instanceof Malformed ? bytes : { family: 4, bytes, zone: "" };
}

/** Formats an address in its canonical form (RFC 5952 for IPv6). */
export function formatIpAddress({ family, bytes, zone }: IpAddress): string {
  if (family === 4) return bytes.join(".");
  const suffix = zone === "" ? "" : `%${zone}`;
  if (isMappedVersion4({ family, bytes, zone })) return `::ffff:${bytes.slice(12).join(".")}${suffix}`;
  const groups = Array.from({ length: 8 }, (_, index) => groupAt(bytes, index));
  const zeros = longestZeros(groups);
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  const compressed = zeros.length < 2 ? hex(0, 8) : `${hex(0, zeros.start)}::${hex(zeros.start + zeros.length, 8)}`;
  return compressed + suffix;
}

/** Reports whether an address is an IPv4-mapped IPv6 address: `::ffff:1.2.3.4`. */
export function isMappedVersion4({ family, bytes }: IpAddress): boolean {
  return family === 6 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** Reports whether two addresses have the same family, bytes and zone. */
export function equalIpAddresses(left: IpAddress, right: IpAddress): boolean {
  return (
    left.family === right.family &&
    left.zone === right.zone &&
    left.bytes.every((byte, index) => byte === right.bytes[index])
  );
}

/** Returns the 16-bit group of an IPv6 address at an index from 0 to 7. */
export function groupAt(bytes: readonly number[], index: number): number {
  return ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0);
}

function malformed(text: string, problem: string, at = ""): Malformed {
  return new Malformed(`ParseAddr(${quote(text)}): ${problem}${at === "" ? "" : ` (at ${quote(at)})`}`);
}

/** Parses four numbers from 0 to 255. `whole` is the string that messages name. */
function parseVersion4(part: string, whole: string): number[] | Malformed {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at);
    if (character >= "0" && character <= "9") {
      if (digits === 1 && value === 0) return malformed(whole, "IPv4 field has octet with leading zero");
      value = value * 10 + Number(character);
      digits += 1;
      if (value > 255) return malformed(whole, "IPv4 field has value >255");
    } else if (character === ".") {
      if (digits === 0 || at === part.length - 1) {
        return malformed(whole, "IPv4 field must have at least one digit", part.slice(at));
      }
      if (fields.length === 3) return malformed(whole, "IPv4 address too long");
      fields.push(value);
      value = 0;
      digits = 0;
    } else {
      return malformed(whole, "unexpected character", part.slice(at));
    }
  }
  if (fields.length < 3) return malformed(whole, "IPv4 address too short");
  return [...fields, value];
}

function parseVersion6(text: string): IpAddress | Malformed {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") return malformed(text, "zone must be a non-empty string");
  let rest = percent < 0 ? text : text.slice(0, percent);

  const bytes: number[] = [];
  /** Number of bytes before the `::`. */
  let gapAt: number | undefined;
  if (rest.startsWith("::")) {
    gapAt = 0;
    rest = rest.slice(2);
  }
  while (rest !== "" && bytes.length < 16) {
    const field = readField(text, rest, { position: bytes.length, hasGap: gapAt !== undefined });
    if (field instanceof Malformed) return field;
    bytes.push(...field.bytes);
    rest = rest.slice(field.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return malformed(text, "unexpected character, want colon", rest);
    if (rest === ":") return malformed(text, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (gapAt !== undefined) return malformed(text, "multiple :: in address", rest);
      gapAt = bytes.length;
      rest = rest.slice(1);
    }
  }
  if (rest !== "") return malformed(text, "trailing garbage after address", rest);
  if (gapAt === undefined) {
    return bytes.length < 16 ? malformed(text, "address string too short") : { family: 6, bytes, zone };
  }
  if (bytes.length === 16) return malformed(text, "the :: must expand to at least one field of zeros");
  bytes.splice(gapAt, 0, ...Array.from({ length: 16 - bytes.length }, () => 0));
  return { family: 6, bytes, zone };
}

/** Parses a group of hexadecimal digits, or the IPv4 address at the end. */
function readField(
  text: string,
  rest: string,
  { position, hasGap }: { position: number; hasGap: boolean },
): { bytes: number[]; length: number } | Malformed {
  const digits = /^[0-9A-Fa-f]{0,5}/.exec(rest)?.[0] ?? "";
  if (digits.length > 4) return malformed(text, "each group must have 4 or less digits", rest);
  if (digits === "") return malformed(text, "each colon-separated field must have at least one digit", rest);
  if (rest.charAt(digits.length) === ".") {
    if (!hasGap && position !== 12) {
      return malformed(text, "embedded IPv4 address must replace the final 2 fields of the address", rest);
    }
    if (position + 4 > 16) {
      return malformed(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
    }
    const bytes = parseVersion4(rest, text);
    return bytes instanceof Malformed ? bytes : { bytes, length: rest.length };
  }
  const group = Number.parseInt(digits, 16);
  return { bytes: [group >> 8, group & 0xff], length: digits.length };
}

/** Returns the first of the longest runs of zero groups. */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}

import { failure, type CelFailure } from "../failure.ts";
import { parseDuration } from "../values/duration-text.ts";
import { parseTimestamp } from "../values/timestamp-text.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";

/** Parses a string of format `date-time`: RFC 3339, where a missing offset means UTC. An empty string is the epoch. */
export function readDateTime(text: string): CelTimestamp | CelFailure {
  if (text === "") return new CelTimestamp(0n);
  return parseTimestamp(text) ?? parseTimestamp(`${text}Z`) ?? failure(`Invalid date-time formatted string ${text}`);
}

/** Parses a string of format `date`: the start of that day in UTC. */
export function readDate(text: string): CelTimestamp | CelFailure {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
  return midnight ?? failure(`Invalid date formatted string ${text}`);
}

const second = 1_000_000_000n;
/** Units by their names. The last name of each also matches every word that starts with it. */
const units: readonly (readonly [nanos: bigint, ...names: string[]])[] = [
  [1n, "ns", "nano"],
  [1_000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [second, "s", "sec"],
  [60n * second, "m", "min"],
  [3600n * second, "h", "hr", "hour"],
  [86_400n * second, "d", "day"],
  [604_800n * second, "w", "wk", "week"],
];

/** Parses a string of format `duration`: `1h30m`, or words such as `2 days 3 hours`. */
export function readDuration(text: string): CelDuration | CelFailure {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let nanos = 0n;
  let found = false;
  for (const [, digits = "", word = ""] of text.matchAll(/(\d+)\s*([A-Za-z\u00b5]+)/g)) {
    if (digits.length > 18) return invalidDuration(text);
    for (const unit of unitsNamed(word.toLowerCase())) {
      nanos += BigInt(digits) * unit;
      found = true;
    }
  }
  return found ? new CelDuration(BigInt.asIntN(64, nanos)) : invalidDuration(text);
}

function unitsNamed(word: string): bigint[] {
  return units.filter(([, ...names]) => names.includes(word) || word.startsWith(names.at(-1) ?? word)).map(([n]) => n);
}

function invalidDuration(text: string): CelFailure {
  return failure(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Parses a string of format `byte`. The API server uses padded base64 with the URL alphabet and ignores line ends. */
export function readBase64(text: string): Uint8Array | CelFailure {
  const packed = text.replace(/[\r\n]/g, "");
  const body = packed.replace(/={1,2}$/, "");
  const illegal = body.search(/[^A-Za-z0-9_-]/);
  if (illegal >= 0 || packed.length % 4 !== 0 || body.length % 4 === 1) {
    const position = illegal >= 0 ? illegal : packed.length;
    return failure(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${position}`);
  }
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let pending = 0;
  let bits = 0;
  let length = 0;
  for (const character of body) {
    pending = (pending << 6) | base64Digits.indexOf(character);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (pending >> bits) & 0xff;
    pending &= (1 << bits) - 1;
  }
  return bytes;
}

// The routing key of a sandbox or a group. It is chosen once, and written to the status before any object contains it.

import { routingKeyLengthMax } from "../api/routing-key.ts";

/** Returns the given number of random bytes that cannot be predicted. */
export type SecureBytes = (count: number) => Uint8Array;

const letters = "abcdefghijklmnopqrstuvwxyz";
const characters = `${letters}0123456789`;

/** The length of generated keys: more than 60 random bits, and room for an endpoint before it in a DNS label. */
const generatedLength = 13;

/** Input of {@link decideRoutingKey}. */
export interface KeyInput {
  /** The key in the status, which never changes. */
  readonly recorded: string | undefined;
  /** The key that the spec requests. */
  readonly asked: string | undefined;
  /** Reports whether another object has a key. */
  isTaken(this: void, key: string): boolean;
  readonly secureBytes: SecureBytes;
}

/**
 * Decides the key of an object. A key that the spec requests is recorded even if another object has it: the older object owns the key, and the
 * younger one reports the conflict.
 */
export function decideRoutingKey({ recorded, asked, isTaken, secureBytes }: KeyInput): string {
  if (recorded !== undefined && recorded !== "") return recorded;
  if (asked !== undefined && asked !== "") return asked;
  for (;;) {
    const key = generateKey(secureBytes);
    if (!isTaken(key)) return key;
  }
}

/** Reports whether a key may be written to a status. A recorded key never changes. */
export function mayRecord(key: string, recorded: string | undefined): boolean {
  return recorded === undefined || recorded === "" || recorded === key;
}

/** Returns a random key whose first character is a letter. */
function generateKey(secureBytes: SecureBytes): string {
  const length = Math.min(generatedLength, routingKeyLengthMax);
  let key = "";
  while (key.length < length) {
    const alphabet = key === "" ? letters : characters;
    // Bytes above the largest multiple of the alphabet's length would make some characters more likely.
    const limit = 256 - (256 % alphabet.length);
    for (const byte of secureBytes(length)) {
      if (byte >= limit) continue;
      key += alphabet.charAt(byte % alphabet.length);
      break;
    }
  }
  return key;
}

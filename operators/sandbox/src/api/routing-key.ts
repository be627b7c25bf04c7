// Routing keys: the strings that mark requests for the forks of a sandbox or of a route group.

import type { Random } from "@homeostat/core";

export const routingKeyPattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
export const routingKeyLengthMin = 3;
export const routingKeyLengthMax = 63;

/** Keys that select the baseline. No sandbox or group can own one. */
export const baselineKeys: readonly string[] = ["baseline", "production"];

export const routingKeyProblem =
  "must be 3 to 63 lower-case letters, digits and dashes, and start and end with a letter or digit";

export const reservedKeyProblem = `must not be ${baselineKeys.join(" or ")}: these keys mean the baseline`;

/** Reports whether a key means the baseline: the empty one, and the reserved ones. */
export function isBaselineKey(key: string): boolean {
  return key === "" || baselineKeys.includes(key);
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const alphabet = `${letters}0123456789`;
const generatedLength = 13;

/** Returns a new key. Keys are not secrets, but a guessable key would be used by accident: pass `systemRandom`. */
export function generateRoutingKey(random: Random): string {
  const rest = Array.from({ length: generatedLength - 1 }, () => alphabet[random.int(alphabet.length)]);
  return `${letters[random.int(letters.length)]}${rest.join("")}`;
}

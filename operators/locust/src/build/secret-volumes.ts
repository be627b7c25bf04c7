import { sanitised } from "../api/names.ts";

const nameLengthMax = 63;
const stemLength = 46;

/**
 * The names of the volumes for Secrets, one for each, in the order in which they are first mounted.
 *
 * A name is `secret-` and that of the Secret wherever that is a valid name that no other has. Otherwise it is cut and
 * ends in a hash of the Secret's name.
 */
export function secretVolumeNames(secrets: readonly string[]): Map<string, string> {
  const distinct = [...new Set(secrets)];
  const count = new Map<string, number>();
  for (const secret of distinct) count.set(plainName(secret), (count.get(plainName(secret)) ?? 0) + 1);
  return new Map(
    distinct.map((secret) => {
      const plain = plainName(secret);
      // Without dots the name was always this one, so it is the other that gives way.
      const isTaken = (count.get(plain) ?? 0) > 1 && secret.includes(".");
      return [secret, isTaken || plain.length > nameLengthMax ? hashedName(secret) : plain];
    }),
  );
}

function plainName(secret: string): string {
  return `secret-${sanitised(secret)}`;
}

function hashedName(secret: string): string {
  return `${plainName(secret).slice(0, stemLength)}-${hash(secret)}`;
}

/** FNV-1a with 32 bits, as eight hexadecimal digits. It only has to tell names apart. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
}

/** Minimum and maximum length of a routing key. */
export const keyLengthMin = 3;
export const keyLengthMax = 63;

const dash = 0x2d;

/**
 * Reports whether a text is a routing key: 3 to 63 lower-case letters, digits and dashes, with no dash at the ends.
 *
 * The same as `/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/`, several times faster.
 */
export function isRoutingKey(text: string): boolean {
  const { length } = text;
  if (length < keyLengthMin || length > keyLengthMax) return false;
  if (text.charCodeAt(0) === dash || text.charCodeAt(length - 1) === dash) return false;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    const isAllowed = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === dash;
    if (!isAllowed) return false;
  }
  return true;
}

/** Keys that no sandbox can have. A default key with one of these values, or an empty one, means the baseline. */
export const baselineKeys: ReadonlySet<string> = new Set(["", "baseline", "production"]);

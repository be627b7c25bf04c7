/**
 * Truncates a text to at most `lengthMax` characters, the last of which is `…` if something was omitted.
 *
 * Counts UTF-16 code units and never splits a surrogate pair.
 */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  let end = lengthMax - 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${text.slice(0, end)}…`;
}

/**
 * Quotes a text of a user for a message: truncated, and with control characters escaped.
 *
 * @example
 * quoteText("a\nb"); // '"a\\nb"'
 */
export function quoteText(text: string, lengthMax = 256): string {
  return JSON.stringify(cutText(text, lengthMax));
}

/** Converts an untrusted text to one line of a message: truncated, and with control characters and line breaks replaced by spaces. */
export function oneLine(text: string, lengthMax: number): string {
  // Truncate first: the text may be megabytes long.
  const head = text.slice(0, lengthMax * 4);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  const line = head.replace(/[\u0000-\u0020\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return cutText(head.length < text.length ? `${line}…` : line, lengthMax);
}

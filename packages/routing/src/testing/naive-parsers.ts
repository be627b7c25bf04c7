// Slow and obvious parsers of trace headers, which the fast ones are compared with.

/** Reads the first member of `baggage` with a name, member by member. */
export function naiveBaggage(
  baggage: string,
  name: string,
): { readonly value: string | undefined; readonly isTruncated: boolean } {
  let offset = 0;
  const pieces: string[] = [];
  let isTruncated = false;
  for (const piece of baggage.split(",")) {
    offset += piece.length;
    if (pieces.length === 180 || offset > 8192) {
      isTruncated = true;
      break;
    }
    pieces.push(piece);
    offset += 1;
  }
  for (const piece of pieces) {
    const text = piece.split(";")[0] ?? "";
    const equals = text.indexOf("=");
    if (equals === -1) continue;
    const key = trim(text.slice(0, equals));
    if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(key) && key === name)
      return { value: trim(text.slice(equals + 1)), isTruncated };
  }
  return { value: undefined, isTruncated };
}

/** Reads the first valid member of `tracestate` with a name, member by member. */
export function naiveTracestate(tracestate: string, name: string): string | undefined {
  const members = tracestate
    .split(",")
    .map(trim)
    .filter((piece) => piece !== "")
    .slice(0, 32);
  for (const member of members) {
    const found = /^([a-z0-9][a-z0-9_\-*/@]{0,255})=([\u0020-\u002b\u002d-\u003c\u003e-\u007e]{1,256})$/.exec(member);
    if (found?.[1] === name) return found[2];
  }
  return undefined;
}

function trim(text: string): string {
  return text.replace(/^[ \t]+/, "").replace(/[ \t]+$/, "");
}

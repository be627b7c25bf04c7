// Reads members of the header `tracestate` (https://www.w3.org/TR/trace-context/). It is never written: a party that forwards
// `traceparent` unchanged must not change it.

import { isOws } from "../request/header-value.ts";

/** Maximum number of members, not counting empty ones. Later ones are ignored. */
const membersMax = 32;
const valueLengthMax = 256;

const comma = 0x2c;
const equals = 0x3d;

/**
 * Returns the value of the first valid member with a name, or undefined. Spaces at the start belong to the value. A malformed member is
 * skipped.
 */
export function findTracestateMember(tracestate: string, name: string): string | undefined {
  for (let at = tracestate.indexOf(name); at !== -1; at = tracestate.indexOf(name, at + 1)) {
    if (!isMemberStart(tracestate, at) || tracestate.charCodeAt(at + name.length) !== equals) continue;
    if (membersBefore(tracestate, at) >= membersMax) return undefined;
    const value = valueAt(tracestate, at + name.length + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

function isMemberStart(tracestate: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isOws(tracestate.charCodeAt(before))) before -= 1;
  return before < 0 || tracestate.charCodeAt(before) === comma;
}

/** Returns the number of members that are not empty before a position. */
function membersBefore(tracestate: string, end: number): number {
  let members = 0;
  let isEmpty = true;
  for (let at = 0; at < end && members < membersMax; at += 1) {
    const code = tracestate.charCodeAt(at);
    if (code === comma) isEmpty = true;
    else if (isEmpty && !isOws(code)) {
      isEmpty = false;
      members += 1;
    }
  }
  return members;
}

/** Returns the value that starts at a position, or undefined if it is malformed. */
function valueAt(tracestate: string, start: number): string | undefined {
  const next = tracestate.indexOf(",", start);
  let end = next === -1 ? tracestate.length : next;
  while (end > start && isOws(tracestate.charCodeAt(end - 1))) end -= 1;
  if (end === start || end - start > valueLengthMax) return undefined;
  for (let at = start; at < end; at += 1) {
    const code = tracestate.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === equals) return undefined;
  }
  return tracestate.slice(start, end);
}

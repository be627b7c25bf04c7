import { baggageBytesMax, valueStartOf } from "../key/baggage.ts";
import { isOws } from "../request/header-value.ts";

/** Maximum number of members that are written, the number that every platform must be able to propagate. */
const membersMax = 64;

/** A member to write. */
export interface BaggageMember {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns baggage with a member: in the place of the first member with its name, or at the end. Further members with the name are
 * removed, because other readers take the last one. All other members keep their order and bytes. Returns undefined if the
 * result would have more than 64 members or 8192 bytes.
 */
export function injectBaggage(baggage: string | undefined, { name, value }: BaggageMember): string | undefined {
  const member = `${name}=${value}`;
  if (baggage === undefined || isBlank(baggage)) return member;
  const kept: string[] = [];
  let isPlaced = false;
  for (const piece of baggage.split(",")) {
    if (!isNamed(piece, name)) kept.push(piece);
    else if (!isPlaced) {
      kept.push(replaceText(piece, member));
      isPlaced = true;
    }
  }
  if (!isPlaced) kept.push(member);
  const result = kept.join(",");
  const members = kept.filter((piece) => !isBlank(piece)).length;
  return members > membersMax || result.length > baggageBytesMax ? undefined : result;
}

/** Returns baggage without the members with some names; undefined if nothing is left. Other members keep their order and bytes. */
export function withoutBaggageMembers(baggage: string, names: readonly string[]): string | undefined {
  if (!names.some((name) => baggage.includes(name))) return baggage;
  const kept = baggage.split(",").filter((piece) => !names.some((name) => isNamed(piece, name)));
  const result = kept.join(",");
  return kept.every(isBlank) ? undefined : result;
}

/** Reports whether a member has a name. */
function isNamed(piece: string, name: string): boolean {
  let start = 0;
  while (isOws(piece.charCodeAt(start))) start += 1;
  return piece.startsWith(name, start) && valueStartOf(piece, start, start + name.length) !== -1;
}

/** Replaces a piece but for the whitespace around it. */
function replaceText(piece: string, text: string): string {
  let start = 0;
  let end = piece.length;
  while (isOws(piece.charCodeAt(start))) start += 1;
  while (isOws(piece.charCodeAt(end - 1))) end -= 1;
  return piece.slice(0, start) + text + piece.slice(end);
}

function isBlank(piece: string): boolean {
  for (let at = 0; at < piece.length; at += 1) if (!isOws(piece.charCodeAt(at))) return false;
  return true;
}

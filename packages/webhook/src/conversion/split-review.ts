import { ReviewError, ReviewTooLargeError } from "../errors.ts";
import type { ReviewLimits } from "../review/limits.ts";
import type { Steps } from "../work/slices.ts";

/** A ConversionReview, split into parts that are parsed one by one. */
export interface SplitReview {
  /** The review with an empty list in place of `request.objects`. */
  readonly envelope: Uint8Array;
  /** Bytes of each element of `request.objects`; undefined if the review has no such list. */
  readonly objects: readonly Uint8Array[] | undefined;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Number of bytes scanned in one step: one or two milliseconds. */
const stepBytes = 256 * 1024;
/** Maximum size of a review without its objects. */
const envelopeBytesMax = 64 * 1024;
const notJson = "the review is not JSON in UTF-8";
/** Nesting depth of `request.objects`: the review, the request, the list. */
const listDepth = 3;

/**
 * Splits a ConversionReview into its objects with one scan over the bytes.
 *
 * A review contains a whole list. `JSON.parse` of tens of megabytes blocks the event loop for seconds and takes many
 * times their memory, and no limit on values fits both a large list and an attack. Split into objects, each is parsed,
 * converted and encoded on its own. The scan looks only at brackets, commas and the keys `request` and `objects`;
 * whether the parts are valid JSON is found when they are parsed.
 *
 * Throws a {@link ReviewTooLargeError} if there are more than `objectsMax` objects, one is larger than
 * `objectBytesMax`, or the rest of the review is too large; and a {@link ReviewError} if `request.objects` occurs
 * twice.
 */
export function* splitReview(
  body: Uint8Array,
  { objectsMax, objectBytesMax }: Pick<ReviewLimits, "objectsMax" | "objectBytesMax">,
): Steps<SplitReview> {
  let objects: Uint8Array[] | undefined;
  let list = { start: 0, end: 0 };
  let depth = 0;
  let isInRequest = false;
  let isInList = false;
  let elementStart = 0;
  /** Last string at the current level, and last key. */
  let text: Uint8Array | undefined;
  let key: Uint8Array | undefined;
  let isInString = false;
  let textStart = 0;
  let pauseAt = stepBytes;

  /** Checks the size of everything outside the list, up to an offset. */
  const checkEnvelope = (end: number): void => {
    if (end - (list.end - list.start) <= envelopeBytesMax) return;
    throw new ReviewTooLargeError(`the review without its objects exceeds ${envelopeBytesMax} bytes`);
  };

  const addObject = (end: number): void => {
    if (objects === undefined) return;
    if (objects.length === objectsMax) throw new ReviewTooLargeError(`request.objects exceeds ${objectsMax} objects`);
    if (end - elementStart > objectBytesMax) {
      throw new ReviewTooLargeError(`request.objects[${objects.length}] exceeds ${objectBytesMax} bytes`);
    }
    if (isBlank(body, elementStart, end)) {
      // Only an empty list has no element between its brackets.
      if (body[end] === comma || objects.length > 0) throw new ReviewError(notJson);
      return;
    }
    objects.push(body.subarray(elementStart, end));
  };

  for (let at = 0; at < body.length; at += 1) {
    if (at >= pauseAt) {
      checkEnvelope(isInList ? list.start : at);
      pauseAt = at + stepBytes;
      yield;
    }
    const byte = body[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        isInString = false;
        if (depth < listDepth) text = body.subarray(textStart, at);
      }
      continue;
    }
    switch (byte) {
      case quote:
        isInString = true;
        textStart = at + 1;
        break;
      case colon:
        if (depth < listDepth) key = text;
        break;
      case openBrace:
        if (depth === 1 && isNamed(key, "request")) isInRequest = true;
        depth += 1;
        break;
      case openBracket:
        if (depth === listDepth - 1 && isInRequest && isNamed(key, "objects")) {
          if (objects !== undefined) throw new ReviewError("request.objects occurs twice");
          objects = [];
          isInList = true;
          list = { start: at, end: at };
          elementStart = at + 1;
        }
        depth += 1;
        break;
      case comma:
        if (isInList && depth === listDepth) {
          addObject(at);
          elementStart = at + 1;
        }
        if (depth < listDepth) key = undefined;
        break;
      case closeBrace:
      case closeBracket:
        if (isInList && depth === listDepth) {
          if (byte !== closeBracket) throw new ReviewError(notJson);
          addObject(at);
          isInList = false;
          list = { ...list, end: at + 1 };
        }
        depth -= 1;
        if (depth === 1) isInRequest = false;
        if (depth < listDepth) key = undefined;
        break;
      default:
        break;
    }
  }
  if (isInList) throw new ReviewError(notJson);
  checkEnvelope(body.length);
  const envelope =
    objects === undefined
      ? body
      : Buffer.concat([body.subarray(0, list.start), Buffer.from("[]"), body.subarray(list.end)]);
  return { envelope, objects };
}

function isNamed(key: Uint8Array | undefined, name: string): boolean {
  return key?.length === name.length && Buffer.from(key).toString("latin1") === name;
}

/** Reports whether a range contains only white space. */
function isBlank(body: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
  }
  return true;
}

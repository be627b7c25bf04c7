import { isRecord, type JsonRecord } from "@homeostat/core";
import { ReviewError } from "../errors.ts";

/** Deeper than any object of Kubernetes, and shallow enough for every function that walks one by recursion. */
const depthMax = 500;

/** Reads the body of a request as one JSON object. Throws a {@link ReviewError} for everything else. */
export function readJson(body: Uint8Array): JsonRecord {
  if (body.length === 0) throw new ReviewError("it is empty");
  if (isTooDeep(body)) throw new ReviewError(`it is nested deeper than ${depthMax} levels`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new ReviewError("it is not JSON in UTF-8", { cause });
  }
  if (!isRecord(value)) throw new ReviewError("it is JSON but no object");
  return value;
}

/** Looks at brackets outside of strings only, before anything is built from them. */
function isTooDeep(body: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (isInString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

import type { Readable } from "node:stream";
import { GrowingBytes } from "@homeostat/core";
import { badRequest } from "../request/option-problem.ts";
import { bodyTooLargeStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/**
 * Bytes of an oversized body that are still read and discarded. A client reads the response only after it has sent its
 * body; closing the connection earlier would show it a reset instead of the 413.
 */
const discardBytesMax = 16 * 1024 * 1024;

/**
 * Reads the body of a request. Keeps at most `bytesMax` in memory, whatever the headers say. Throws a `StatusError`.
 */
export async function readBody(
  request: Readable,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const body = new GrowingBytes({ bytesMax });
  let length = 0;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      request.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
      signal.removeEventListener("abort", onAbort);
      act();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (body.append(chunk) !== undefined) body.clear();
      if (length > bytesMax + discardBytesMax) {
        request.pause();
        settle(() => reject(tooLarge(bytesMax)));
      }
    };
    const onEnd = (): void => settle(() => (length > bytesMax ? reject(tooLarge(bytesMax)) : resolve(body.take())));
    const onCut = (): void => settle(() => reject(badRequest("unexpected EOF")));
    const onAbort = (): void => settle(() => reject(signal.reason));
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

function tooLarge(bytesMax: number): StatusError {
  return new StatusError(bodyTooLargeStatus(bytesMax));
}

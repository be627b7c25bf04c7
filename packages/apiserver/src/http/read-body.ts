import type { Readable } from "node:stream";
import { GrowingBytes } from "@homeostat/core";
import { badRequest } from "../request/option-problem.ts";
import { bodyTooLargeStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** How much of a body that is too large is still taken in, so that the client gets to read why it was refused. */
const discardBytesMax = 16 * 1024 * 1024;

/** The body of a request. Keeps no more than `bytesMax`, whatever the headers promise. Throws a `StatusError`. */
export async function readBody(
  request: Readable,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const body = new GrowingBytes({ bytesMax });
  let length = 0;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      request.off("data", take).off("end", end).off("error", cut).off("close", cut);
      signal.removeEventListener("abort", leave);
      act();
    };
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (body.append(piece) !== undefined) body.clear();
      if (length > bytesMax + discardBytesMax) {
        request.pause();
        settle(() => reject(tooLarge(bytesMax)));
      }
    };
    const end = (): void => settle(() => (length > bytesMax ? reject(tooLarge(bytesMax)) : resolve(body.take())));
    const cut = (): void => settle(() => reject(badRequest("unexpected EOF")));
    const leave = (): void => settle(() => reject(signal.reason));
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener("abort", leave, { once: true });
    request.on("data", take).on("end", end).on("error", cut).on("close", cut);
  });
}

function tooLarge(bytesMax: number): StatusError {
  return new StatusError(bodyTooLargeStatus(bytesMax));
}

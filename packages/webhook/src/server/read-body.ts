import type { IncomingMessage } from "node:http";

/** Why a body was not read to its end. */
export type BodyProblem = "too large" | "cut off";

/** The body of a request, or why there is none. Reads no more than `bytesMax`, whatever the headers promise. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array | BodyProblem> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return "too large";
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length > bytesMax) {
        pieces.length = 0;
        request.pause();
        resolve("too large");
      } else {
        pieces.push(piece);
      }
    });
    request.on("end", () => resolve(Buffer.concat(pieces)));
    request.on("error", () => resolve("cut off"));
    request.on("close", () => resolve("cut off"));
  });
}

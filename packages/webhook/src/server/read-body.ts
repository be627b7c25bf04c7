import type { IncomingMessage } from "node:http";
import { GrowingBytes } from "@homeostat/core";

/** Reason why a body was not read completely. */
export type BodyProblem = "too large" | "cut off" | "no memory";

/** Options of {@link readBody}. */
export interface ReadBodyOptions {
  readonly bytesMax: number;
  /** Reserves memory before it is used; returns false if there is none left. */
  readonly reserve: (bytes: number) => boolean;
}

/** Reads the body of a request; returns the reason if it fails. Reads at most `bytesMax`, whatever the headers say. */
export function readBody(
  request: IncomingMessage,
  { bytesMax, reserve }: ReadBodyOptions,
): Promise<Uint8Array | BodyProblem> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too large");
  const body = new GrowingBytes({ bytesMax, reserve });
  return new Promise((resolve) => {
    let isDone = false;
    const finish = (problem?: BodyProblem): void => {
      if (isDone) return;
      isDone = true;
      request.off("data", take);
      if (problem !== undefined) {
        request.pause();
        body.clear();
      }
      resolve(problem ?? body.take());
    };
    const take = (chunk: Buffer): void => {
      const exceeded = body.append(chunk);
      if (exceeded !== undefined) finish(exceeded === "bytes" ? "too large" : "no memory");
    };
    request.on("data", take);
    request.on("end", () => finish());
    request.on("error", () => finish("cut off"));
    request.on("close", () => finish("cut off"));
  });
}

/** Number of bytes of a refused body that are read, so that the client can read the response. */
const discardBytesMax = 1024 * 1024;

/**
 * Reads and drops the rest of a short body. Closing a connection with unread data resets it, and the client would lose
 * the response.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  let length = 0;
  return new Promise((resolve) => {
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= discardBytesMax) return;
      request.pause();
      resolve();
    });
    request.on("end", resolve);
    request.on("error", () => resolve());
    request.on("close", resolve);
    request.resume();
  });
}

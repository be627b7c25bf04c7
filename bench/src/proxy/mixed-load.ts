import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { median } from "../harness/measure.ts";
import { connectGrpc } from "./grpc-client.ts";
import { connectHttp1, requestText } from "./http1-client.ts";
import { sendAll } from "./lane.ts";
import { rssMib, type Subject } from "./subjects.ts";

/** Memory under mixed load, in MiB. */
export interface MixedMemory {
  readonly minutes: number;
  /** Median of the second quarter, when code is compiled and pools are filled. */
  readonly early: number;
  /** Median of the last quarter. */
  readonly late: number;
  readonly max: number;
}

const sampleMs = 500;

/**
 * Sends small and large responses, gRPC calls, new connections, aborted requests and malformed ones at the same time, and samples the memory of
 * the subject.
 */
export async function measureMixed(subject: Subject, minutes: number): Promise<MixedMemory> {
  const end = performance.now() + minutes * 60_000;
  const isOver = (): boolean => performance.now() >= end;
  const port = subject.http1;
  const repeat = async (one: () => Promise<void>): Promise<void> => {
    while (!isOver()) await one();
  };
  const small = await connectHttp1({ port, connections: 8, bodyBytes: 1_024 });
  const large = await connectHttp1({ port, connections: 2, bodyBytes: 1_048_576 });
  const calls = await connectGrpc({ port: subject.http2, connections: 2, streams: 8 });
  const samples: number[] = [];
  try {
    await Promise.all([
      repeat(() => sendAll(small, 500)),
      repeat(() => sendAll(large, 4)),
      repeat(() => sendAll(calls, 500)),
      repeat(() => sendOnce(port, requestText(1_024), "response")),
      // Leaves in the middle of a large response.
      repeat(() => sendOnce(port, requestText(1_048_576), "first bytes")),
      // An upload that ends in the middle, and a head that is refused.
      repeat(() => sendOnce(port, "POST /bytes/0 HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\npart", "sent")),
      repeat(() => sendOnce(port, `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(40_000)}\r\n\r\n`, "response")),
      (async () => {
        while (!isOver()) {
          await setTimeout(sampleMs);
          samples.push(rssMib(subject));
        }
      })(),
    ]);
  } finally {
    for (const client of [small, large, calls]) client.close();
  }
  const quarter = Math.floor(samples.length / 4);
  return {
    minutes,
    early: median(samples.slice(quarter, 2 * quarter)),
    late: median(samples.slice(-quarter)),
    max: Math.max(...samples),
  };
}

/** Sends bytes on a new connection and closes it at a moment. */
async function sendOnce(port: number, text: string, until: "sent" | "first bytes" | "response"): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  await new Promise<void>((resolve) => {
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      if (until === "first bytes" || chunk.length > 0) resolve();
    });
    socket.write(text, "latin1", () => {
      if (until === "sent") resolve();
    });
  });
  socket.destroy();
  // A pause, so that closed ports do not run out.
  await setTimeout(5);
}

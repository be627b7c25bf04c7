import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { median } from "../harness/measure.ts";
import { percentile } from "../route-server/report.ts";
import { connectGrpc } from "./grpc-client.ts";
import { connectHttp1, requestText } from "./http1-client.ts";
import { type LoadClient, sendAll, sendPaced } from "./lane.ts";
import { cpuUs, rssMib, type Subject } from "./subjects.ts";

/** Values by name of a subject. */
export type ByName = Readonly<Record<string, number>>;

/** A kind of load. */
export interface LoadKind {
  readonly connect: (subject: Subject) => Promise<LoadClient>;
  readonly requests: number;
  /** Requests before the first round, in which Node compiles the code that is used often. */
  readonly warmUp: number;
}

/** HTTP/1.1 with responses of 1 KiB on 16 keep-alive connections. */
export const smallBodies = (scale: number): LoadKind => ({
  connect: ({ http1: port }) => connectHttp1({ port, connections: 16, bodyBytes: 1_024 }),
  requests: 8_000 * scale,
  warmUp: 20_000,
});

/** HTTP/1.1 with responses of 1 MiB on 4 keep-alive connections. */
export const largeBodies = (scale: number): LoadKind => ({
  connect: ({ http1: port }) => connectHttp1({ port, connections: 4, bodyBytes: 1_048_576 }),
  requests: 150 * scale,
  warmUp: 100,
});

/** Unary calls of gRPC over HTTP/2 without TLS: 4 connections with 16 calls each. */
export const unaryCalls = (scale: number): LoadKind => ({
  connect: ({ http2: port }) => connectGrpc({ port, connections: 4, streams: 16 }),
  requests: 8_000 * scale,
  warmUp: 20_000,
});

/**
 * Opens the connections to each subject and warms it up. One subject after the other: a proxy closes connections without a request, and the warm-ups of the
 * others may take longer than that on a busy machine.
 */
async function connectAll(subjects: readonly Subject[], load: LoadKind): Promise<readonly LoadClient[]> {
  const clients: LoadClient[] = [];
  try {
    for (const subject of subjects) {
      const client = await load.connect(subject);
      clients.push(client);
      await sendAll(client, load.warmUp);
    }
    return clients;
  } catch (error) {
    for (const client of clients) client.close();
    throw error;
  }
}

/** Measures the CPU time per request of subjects in turns, in microseconds: median of the rounds. */
export async function measureCpu(subjects: readonly Subject[], load: LoadKind, rounds: number): Promise<ByName> {
  const clients = await connectAll(subjects, load);
  const samples = subjects.map((): number[] => []);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < subjects.length; turn += 1) {
        const at = (round + turn) % subjects.length;
        const [subject, client] = [subjects[at], clients[at]];
        if (subject === undefined || client === undefined) continue;
        const before = cpuUs(subject);
        await sendAll(client, load.requests);
        samples[at]?.push((cpuUs(subject) - before) / load.requests);
      }
    }
  } finally {
    for (const client of clients) client.close();
  }
  return Object.fromEntries(subjects.map(({ name }, at) => [name, median(samples[at] ?? [])]));
}

/** Latencies of a subject in microseconds. */
export interface Latencies {
  readonly p50: ByName;
  readonly p99: ByName;
}

/** Measures latencies at 1,000 requests per second, in turns: medians of the percentiles of the rounds. */
export async function measureLatency(
  subjects: readonly Subject[],
  load: LoadKind,
  { rounds, requests }: { readonly rounds: number; readonly requests: number },
): Promise<Latencies> {
  const clients = await connectAll(subjects, load);
  const p50 = subjects.map((): number[] => []);
  const p99 = subjects.map((): number[] => []);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < subjects.length; turn += 1) {
        const at = (round + turn) % subjects.length;
        const client = clients[at];
        if (client === undefined) continue;
        const sorted = (await sendPaced(client, { rate: 1_000, requests })).toSorted((a, b) => a - b);
        p50[at]?.push(percentile(sorted, 50));
        p99[at]?.push(percentile(sorted, 99));
      }
    }
  } finally {
    for (const client of clients) client.close();
  }
  const byName = (samples: readonly number[][]): ByName =>
    Object.fromEntries(subjects.map(({ name }, at) => [name, median(samples[at] ?? [])]));
  return { p50: byName(p50), p99: byName(p99) };
}

/** Memory of a subject with idle connections. */
export interface IdleMemory {
  readonly connections: number;
  readonly mib: number;
  /** Growth of the memory by the connections, divided by their number. */
  readonly kibPerConnection: number;
}

/** Opens connections that each have sent one request and wait, and returns the memory of the subject with them. */
export async function measureIdle(subject: Subject, connections: number): Promise<IdleMemory> {
  const sockets: Socket[] = [];
  const before = rssMib(subject);
  try {
    while (sockets.length < connections) {
      // In groups, so that the backlog of the port does not overflow.
      const group = Array.from({ length: Math.min(200, connections - sockets.length) }, async () => {
        const socket = connect({ port: subject.http1, host: "127.0.0.1" });
        sockets.push(socket);
        await new Promise<void>((resolve, reject) => {
          socket.once("error", reject);
          socket.once("data", () => resolve());
          socket.write(requestText(0), "latin1");
        });
      });
      await Promise.all(group);
    }
    await setTimeout(2_000);
    const mib = rssMib(subject);
    return { connections, mib, kibPerConnection: ((mib - before) * 1_024) / connections };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

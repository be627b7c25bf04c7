import { median } from "../harness/measure.ts";
import { within } from "../harness/within.ts";
import { percentile } from "../route-server/report.ts";
import { LoadConnection } from "./load-client.ts";
import { cpuSeconds, type Tunnel } from "./subjects.ts";
import type { Exchange } from "./target-protocol.ts";

/** Values by name of a tunnel. */
export type ByName = Readonly<Record<string, number>>;

const mib = 1_048_576;
/** Time in which the connections into a tunnel must be open. */
const openMs = 60_000;
/** Time of one turn of a tunnel. The slowest, yamux over a long round trip, takes 30 s. */
const turnMs = 180_000;

/** CPU time and speed of a transfer. */
export interface Transfer {
  /** CPU seconds of both ends per GB. */
  readonly cpuPerGb: ByName;
  /** MB per second. */
  readonly speed: ByName;
}

/** Runs a function for all tunnels in turns. Each round starts with another one, so that a slow moment of the machine affects all. */
async function inTurns(
  tunnels: readonly Tunnel[],
  rounds: number,
  one: (tunnel: Tunnel, index: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < tunnels.length; turn += 1) {
      const index = (round + turn) % tunnels.length;
      const tunnel = tunnels[index];
      if (tunnel !== undefined) await within(turnMs, `a turn of ${tunnel.name}`, one(tunnel, index));
    }
}

function byName(tunnels: readonly Tunnel[], samples: readonly (readonly number[])[]): ByName {
  return Object.fromEntries(tunnels.map(({ name }, index) => [name, median(samples[index] ?? [])]));
}

async function openAll(port: number, count: number): Promise<readonly LoadConnection[]> {
  const opened = Promise.all(Array.from({ length: count }, () => LoadConnection.open(port)));
  return within(openMs, `the opening of ${count} connections`, opened);
}

/** Measures transfers of `megabytes` on `streams` connections together: medians of the rounds. */
export async function measureTransfer(
  tunnels: readonly Tunnel[],
  options: {
    readonly streams: number;
    readonly megabytes: number;
    readonly direction: "response" | "request";
    readonly rounds: number;
    readonly warmUpMegabytes: number;
  },
): Promise<Transfer> {
  const { streams, direction, rounds } = options;
  const connections = await Promise.all(tunnels.map(({ entry }) => openAll(entry, streams)));
  const cpu = tunnels.map((): number[] => []);
  const speed = tunnels.map((): number[] => []);
  const transfer = async (index: number, megabytes: number): Promise<number> => {
    const bytes = Math.ceil((megabytes * mib) / streams);
    const exchange: Exchange =
      direction === "response" ? { requestBytes: 0, responseBytes: bytes } : { requestBytes: bytes, responseBytes: 1 };
    await Promise.all((connections[index] ?? []).map((each) => each.exchange(exchange)));
    return bytes * streams;
  };
  try {
    await inTurns(tunnels, 1, async (_, index) => void (await transfer(index, options.warmUpMegabytes)));
    await inTurns(tunnels, rounds, async (tunnel, index) => {
      const before = cpuSeconds(tunnel);
      const start = performance.now();
      const bytes = await transfer(index, options.megabytes);
      speed[index]?.push(bytes / 1e3 / (performance.now() - start));
      cpu[index]?.push((cpuSeconds(tunnel) - before) / (bytes / 1e9));
    });
  } finally {
    for (const each of connections.flat()) each.close();
  }
  return { cpuPerGb: byName(tunnels, cpu), speed: byName(tunnels, speed) };
}

/** Latencies of small requests in microseconds, and their CPU time. */
export interface SmallRequests {
  readonly p50: ByName;
  readonly p99: ByName;
  /** CPU time of both ends per request in microseconds. */
  readonly cpu: ByName;
}

/** Measures requests and responses of 1 KiB, one after the other, on one connection. */
export async function measureSmall(
  tunnels: readonly Tunnel[],
  { rounds, requests }: { readonly rounds: number; readonly requests: number },
): Promise<SmallRequests> {
  const connections = (await Promise.all(tunnels.map(({ entry }) => openAll(entry, 1)))).flat();
  const samples = { p50: tunnels.map((): number[] => []), p99: tunnels.map((): number[] => []) };
  const cpu = tunnels.map((): number[] => []);
  const send = async (index: number, count: number): Promise<readonly number[]> => {
    const latencies: number[] = [];
    for (let request = 0; request < count; request += 1) {
      const start = performance.now();
      await connections[index]?.exchange({ requestBytes: 1_024, responseBytes: 1_024 });
      latencies.push((performance.now() - start) * 1e3);
    }
    return latencies.sort((a, b) => a - b);
  };
  try {
    await inTurns(tunnels, 1, async (_, index) => void (await send(index, 5_000)));
    await inTurns(tunnels, rounds, async (tunnel, index) => {
      const before = cpuSeconds(tunnel);
      const latencies = await send(index, requests);
      cpu[index]?.push(((cpuSeconds(tunnel) - before) / requests) * 1e6);
      samples.p50[index]?.push(percentile(latencies, 50));
      samples.p99[index]?.push(percentile(latencies, 99));
    });
  } finally {
    for (const each of connections) each.close();
  }
  return { p50: byName(tunnels, samples.p50), p99: byName(tunnels, samples.p99), cpu: byName(tunnels, cpu) };
}

/** Speed and bytes per CPU time of streams beside a stalled one, divided by those without it. */
export interface StalledRatios {
  readonly speed: ByName;
  readonly cpu: ByName;
}

/** Measures 99 streams with and without one whose destination reads nothing. */
export async function measureStalled(
  tunnels: readonly Tunnel[],
  { rounds, megabytes }: { readonly rounds: number; readonly megabytes: number },
): Promise<StalledRatios> {
  const streams = 99;
  const bytes = Math.ceil((megabytes * mib) / streams);
  const connections = await Promise.all(tunnels.map(({ entry }) => openAll(entry, streams)));
  const ratios = { speed: tunnels.map((): number[] => []), cpu: tunnels.map((): number[] => []) };
  const transfer = async (tunnel: Tunnel, index: number): Promise<{ readonly ms: number; readonly cpu: number }> => {
    const before = cpuSeconds(tunnel);
    const start = performance.now();
    await Promise.all(
      (connections[index] ?? []).map((each) => each.exchange({ requestBytes: 0, responseBytes: bytes })),
    );
    return { ms: performance.now() - start, cpu: cpuSeconds(tunnel) - before };
  };
  // The first transfer after a change fills or empties the window of the stalled stream, and the caches of the processors.
  const second = async (tunnel: Tunnel, index: number): ReturnType<typeof transfer> => {
    await transfer(tunnel, index);
    return transfer(tunnel, index);
  };
  try {
    await inTurns(tunnels, 1, async (tunnel, index) => void (await second(tunnel, index)));
    await inTurns(tunnels, rounds, async (tunnel, index) => {
      const before = await second(tunnel, index);
      const stalled = await LoadConnection.open(tunnel.entry);
      stalled.stall(256 * mib);
      const beside = await second(tunnel, index);
      stalled.close();
      const after = await second(tunnel, index);
      ratios.speed[index]?.push((before.ms + after.ms) / 2 / beside.ms);
      ratios.cpu[index]?.push((before.cpu + after.cpu) / 2 / beside.cpu);
    });
  } finally {
    for (const each of connections.flat()) each.close();
  }
  return { speed: byName(tunnels, ratios.speed), cpu: byName(tunnels, ratios.cpu) };
}

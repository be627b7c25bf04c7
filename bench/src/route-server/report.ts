/** The result of one run. */
export interface RouteServerResult {
  readonly date: string;
  readonly machine: string;
  readonly load: number;
  readonly tables: number;
  readonly entries: number;
  readonly proxies: number;
  /** Times until the last proxy has received a change, in milliseconds, sorted. */
  readonly lastMs: readonly number[];
  /** CPU time of the replica per change, with the confirmations of all proxies, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory of the replica in bytes: with all tables, and with all proxies after the changes. */
  readonly memory: { readonly tables: number; readonly proxies: number };
}

const limits = { p99Ms: 1_000, memoryBytes: 200e6 };

/** Returns a percentile of sorted values. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

/** Returns the limits that a result exceeds. */
export function exceededLimits({ lastMs, memory }: RouteServerResult): readonly string[] {
  const p99 = percentile(lastMs, 99);
  return [
    ...(p99 <= limits.p99Ms ? [] : [`the 99th percentile is ${p99.toFixed(0)} ms, limit ${limits.p99Ms} ms`]),
    ...(memory.proxies <= limits.memoryBytes ? [] : [`memory is ${megabytes(memory.proxies)}, limit 200 MB`]),
  ];
}

/** Returns the result as the page of the reference. */
export function performancePage(result: RouteServerResult): string {
  const { date, machine, load, tables, entries, proxies, lastMs, cpuMs, memory } = result;
  const ms = (percent: number): string => `${percentile(lastMs, percent).toFixed(0)} ms`;
  return `# Route server: speed and memory

Measured by \`npm run bench -- route-server --record\` on ${date.slice(0, 10)}: one replica with ${tables.toLocaleString("en")} tables of ${entries} entries and ${proxies} proxies that confirm every change, on ${machine}. API server, replica and proxies
share the machine, whose load average was ${load.toFixed(1)} at the end.

| value                                                                        | result | target |
| ---------------------------------------------------------------------------- | -----: | -----: |
| from the write at the API server to the last of ${proxies} proxies, median of ${lastMs.length} changes | ${ms(50)} |        |
| the same, 99th percentile                                                    | ${ms(99)} |    1 s |
| CPU time of the replica per change, with all confirmations | ${cpuMs.toFixed(0)} ms |  |
| resident memory with all tables                                              | ${megabytes(memory.tables)} |        |
| resident memory with all proxies, after the changes                          | ${megabytes(memory.proxies)} | 200 MB |

The time contains the request of the writer, the watch, the stream, and the parsing in all proxies. It grows with the load of the machine; the CPU time hardly does.
`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

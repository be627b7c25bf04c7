/** The result of one run. */
export interface DashboardResult {
  readonly date: string;
  readonly machine: string;
  readonly load: number;
  readonly resources: number;
  /** Times from the request for the page until the first resources are visible, in milliseconds, sorted. */
  readonly firstViewMs: readonly number[];
  /** Times from a write at the API server until the page shows it, in milliseconds, sorted. */
  readonly changeMs: readonly number[];
  /** Bytes of all files of the page, compressed. */
  readonly pageBytes: number;
  /** Resident memory of the process in bytes: before the first page was opened, and with an open page. */
  readonly memory: { readonly before: number; readonly open: number };
  /** CPU time of the process in ten seconds without an open page, in milliseconds. */
  readonly idleCpuMs: number;
}

const limits = { firstViewMs: 1_000, changeMs: 1_000, pageBytes: 200_000, memoryBytes: 60e6 };

/** Returns the middle of sorted values. */
export function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the limits that a result exceeds. The slowest change counts; the first view is that of the median, because the first page of a browser also starts its processes. */
export function exceededLimits({ firstViewMs, changeMs, pageBytes, memory }: DashboardResult): readonly string[] {
  const slowest = changeMs.at(-1) ?? Number.NaN;
  const first = median(firstViewMs);
  const growth = memory.open - memory.before;
  return [
    ...(first <= limits.firstViewMs ? [] : [`the first view takes ${ms(first)}, limit 1 s`]),
    ...(slowest <= limits.changeMs ? [] : [`a change is visible after ${ms(slowest)}, limit 1 s`]),
    ...(pageBytes <= limits.pageBytes ? [] : [`the page has ${kilobytes(pageBytes)}, limit 200 KB`]),
    ...(growth <= limits.memoryBytes ? [] : [`an open page needs ${megabytes(growth)}, limit 60 MB`]),
  ];
}

/** Returns the result as the page of the reference. */
export function performancePage(result: DashboardResult): string {
  const { date, machine, load, resources, firstViewMs, changeMs, pageBytes, memory, idleCpuMs } = result;
  return `# Dashboard: speed and memory

Measured by \`npm run bench -- dashboard --record\` on ${date.slice(0, 10)}: the program \`homeostat dashboard\` with ${resources.toLocaleString("en")} resources of an embedded API server, in Chromium, on ${machine}. API server, dashboard
and browser share the machine, whose load average was ${load.toFixed(1)} at the end.

| value                                                                              | result | limit |
| ---------------------------------------------------------------------------------- | -----: | ----: |
| from the request for the overview to the first visible resources, median of ${firstViewMs.length} views | ${ms(median(firstViewMs))} | 1 s |
| from a write at the API server to the changed row, median of ${changeMs.length} changes | ${ms(median(changeMs))} | |
| the same, slowest | ${ms(changeMs.at(-1) ?? Number.NaN)} | 1 s |
| files of the page, compressed | ${kilobytes(pageBytes)} | 200 KB |
| resident memory before a page was opened | ${megabytes(memory.before)} | |
| resident memory that an open overview adds | ${megabytes(memory.open - memory.before)} | 60 MB |
| CPU time in ten seconds without an open page | ${ms(idleCpuMs)} | |

Changes are collected for 100 ms before they are sent. Times grow with the load of the machine.
`;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1e3).toFixed(0)} KB`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

import { type Clock, formatMicroTime, HomeostatError, microsFromMs } from "@homeostat/core";
import type { LogLine, LogRing } from "./log-ring.ts";

/** Options of a log request. The names are those of the `log` subresource of a pod. */
export interface PodLogOptions {
  readonly namespace: string;
  readonly name: string;
  /** Default: the only container. */
  readonly container?: string | undefined;
  /** True to read the log of the previous run. */
  readonly previous?: boolean | undefined;
  /** True to continue until the container exits. */
  readonly follow?: boolean | undefined;
  /** Only the last lines, up to this number. */
  readonly tailLines?: number | undefined;
  /** Only lines that are at most this old. */
  readonly sinceSeconds?: number | undefined;
  /** Only lines from this time on, in milliseconds since the epoch. */
  readonly sinceTime?: number | undefined;
  /** True to prefix every line with its time. */
  readonly timestamps?: boolean | undefined;
  /** Total number of bytes after which the log is cut off. */
  readonly limitBytes?: number | undefined;
  /** Ends a followed log. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Thrown when a log cannot be read. The message is that of the kubelet, `status` the HTTP status of the API server's
 * response.
 */
export class PodLogError extends HomeostatError {
  readonly code = "POD_LOG";
  /** HTTP status. */
  readonly status: number;
  readonly reason: string;

  constructor({ status, reason, message }: { status: number; reason: string; message: string }) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Reads the lines of a log as bytes. */
export async function* readLog(ring: LogRing, options: PodLogOptions, clock: Clock): AsyncGenerator<Uint8Array> {
  const { tailLines, sinceSeconds, sinceTime, timestamps = false, follow = false, signal } = options;
  const from = sinceTime ?? (sinceSeconds === undefined ? -Infinity : clock.now() - sinceSeconds * 1_000);
  let bytesLeft = options.limitBytes ?? Infinity;
  let first = ring.since(0).filter(({ at }) => at >= from);
  let next = (ring.since(0).at(-1)?.number ?? -1) + 1;
  if (tailLines !== undefined) first = tailLines === 0 ? [] : first.slice(-tailLines);
  for (let lines: readonly LogLine[] = first; ; lines = ring.since(next)) {
    const last = lines.at(-1);
    if (last !== undefined && lines !== first) next = last.number + 1;
    if (lines.length > 0) {
      const bytes = Buffer.from(lines.map((line) => textOf(line, timestamps)).join(""));
      yield bytes.subarray(0, bytesLeft);
      bytesLeft -= bytes.length;
    }
    if (bytesLeft <= 0 || !follow || signal?.aborted === true) return;
    if (ring.since(next).length > 0) continue;
    if (ring.isEnded) return;
    await changeOf(ring, signal);
  }
}

function textOf({ at, text }: LogLine, timestamps: boolean): string {
  return timestamps ? `${formatMicroTime(microsFromMs(at)).replace("Z", "000Z")} ${text}\n` : `${text}\n`;
}

function changeOf(ring: LogRing, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      watching[Symbol.dispose]();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const watching = ring.watch(done);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted === true) done();
  });
}

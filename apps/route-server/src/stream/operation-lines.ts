import type { RouteTable, StreamOperation } from "@homeostat/routing";

interface TableLine {
  readonly op: StreamOperation["op"];
  readonly version: number | undefined;
  readonly line: Buffer;
}

/** Bytes of all kept lines. */
const bytesMax = 4 * 1024 * 1024;

/**
 * Operations as lines of a stream. All proxies of a namespace get the same operation when a table changes, and the same snapshot when they connect.
 * The last line of each table is therefore cached, so it is encoded once instead of for every proxy. The oldest ones are dropped beyond a limit.
 */
export class OperationLines {
  readonly #lines = new Map<RouteTable, TableLine>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(options: { readonly bytesMax?: number } = {}) {
    this.#bytesMax = options.bytesMax ?? bytesMax;
  }

  /** Returns the line of an operation. */
  encode(operation: StreamOperation): Buffer {
    if (operation.op !== "ADD" && operation.op !== "REPLACE") return lineOf(operation);
    const { op, table, version } = operation;
    const kept = this.#lines.get(table);
    if (kept?.op === op && kept.version === version) return kept.line;
    const line = lineOf(operation);
    this.#drop(table);
    this.#lines.set(table, { op, version, line });
    this.#bytes += line.length;
    for (const oldest of this.#lines.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(oldest);
    }
    return line;
  }

  #drop(table: RouteTable): void {
    this.#bytes -= this.#lines.get(table)?.line.length ?? 0;
    this.#lines.delete(table);
  }
}

function lineOf(operation: StreamOperation): Buffer {
  return Buffer.from(`${JSON.stringify(operation)}\n`);
}

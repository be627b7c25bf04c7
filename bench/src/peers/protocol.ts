/** Event that a runtime writes to standard output, one JSON object per line. `at` is the system's monotonic clock in nanoseconds. */
export type RuntimeEvent =
  /** The cache is complete. */
  | { readonly event: "synced"; readonly at: number; readonly objects: number }
  /** An object with a sequence number greater than 0 was reconciled. */
  | { readonly event: "reconciled"; readonly at: number; readonly name: string; readonly sequence: number }
  /** An object has its children and an up-to-date status. */
  | { readonly event: "ready"; readonly at: number; readonly name: string }
  /** A requested garbage collection is done. */
  | { readonly event: "collected"; readonly at: number; readonly reconciles: number }
  /** A requested heap snapshot was written. */
  | { readonly event: "heap"; readonly at: number };

/** Parses a line of a runtime's output; undefined for anything else, such as log output of a library. */
export function parseEvent(line: string): RuntimeEvent | undefined {
  if (!line.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isEvent(value) ? value : undefined;
}

function isEvent(value: unknown): value is RuntimeEvent {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { event, at, objects, name, sequence, reconciles } = value as Record<string, unknown>;
  if (!isCount(at)) return false;
  switch (event) {
    case "synced":
      return isCount(objects);
    case "reconciled":
      return typeof name === "string" && isCount(sequence);
    case "ready":
      return typeof name === "string";
    case "collected":
      return isCount(reconciles);
    case "heap":
      return true;
    default:
      return false;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Splits a stream of text into lines. */
export class Lines {
  #rest = "";

  /** Returns the lines that this chunk completes. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    // A line that never ends is not part of the protocol; drop it.
    if (this.#rest.length > 1_000_000) this.#rest = "";
    return lines;
  }
}

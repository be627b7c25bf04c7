/** What a contestant says on standard output, a JSON object per line. `at` is the machine's monotonic clock in nanoseconds. */
export type ContestantEvent =
  /** The cache has everything. */
  | { readonly event: "synced"; readonly at: number; readonly objects: number }
  /** An object whose sequence number is more than 0 was reconciled. */
  | { readonly event: "reconciled"; readonly at: number; readonly name: string; readonly sequence: number }
  /** An object has its children, and its status says so. */
  | { readonly event: "ready"; readonly at: number; readonly name: string }
  /** Garbage was collected, as asked. */
  | { readonly event: "collected"; readonly at: number; readonly reconciles: number }
  /** A heap snapshot was written, as asked. */
  | { readonly event: "heap"; readonly at: number };

/** One line of a contestant's output; undefined when it is anything else, such as a library's own chatter. */
export function parseEvent(line: string): ContestantEvent | undefined {
  if (!line.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isEvent(value) ? value : undefined;
}

function isEvent(value: unknown): value is ContestantEvent {
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

/** Cuts a stream of text into lines. */
export class Lines {
  #rest = "";

  /** The lines that are complete with this piece. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    // A line without an end is no protocol; what came of it is let go.
    if (this.#rest.length > 1_000_000) this.#rest = "";
    return lines;
  }
}

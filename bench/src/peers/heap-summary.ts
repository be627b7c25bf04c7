/** Size of one kind of heap node. */
interface Kind {
  readonly name: string;
  count: number;
  bytes: number;
}

/** Part of the heap snapshot format that is used here. */
interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: string[]; readonly node_types: unknown[] } };
  readonly nodes: number[];
  readonly strings: string[];
}

/** Lists the kinds of nodes with the largest total self size in a heap snapshot. */
export function summariseHeap(text: string, rows = 30): string {
  const { snapshot, nodes, strings } = JSON.parse(text) as Snapshot;
  const fields = snapshot.meta.node_fields;
  const types = snapshot.meta.node_types[0] as string[];
  const [type, name, size] = ["type", "name", "self_size"].map((field) => fields.indexOf(field));
  if (type === undefined || name === undefined || size === undefined) throw new Error("not a heap snapshot");
  const kinds = new Map<string, Kind>();
  let total = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[nodes[at + type] ?? 0] ?? "?";
    // Strings and code each have their own name; only objects are grouped by name.
    const label = kind === "object" ? `object ${strings[nodes[at + name] ?? 0] ?? "?"}` : kind;
    const bytes = nodes[at + size] ?? 0;
    const known = kinds.get(label) ?? { name: label, count: 0, bytes: 0 };
    known.count += 1;
    known.bytes += bytes;
    kinds.set(label, known);
    total += bytes;
  }
  const largest = [...kinds.values()].sort((a, b) => b.bytes - a.bytes).slice(0, rows);
  const lines = largest.map(
    ({ name: label, count, bytes }) =>
      `${String(Math.round(bytes / 1024)).padStart(9)} KB ${String(count).padStart(9)} × ${label.slice(0, 80)}`,
  );
  return [`${String(Math.round(total / 1024)).padStart(9)} KB in total`, ...lines, ""].join("\n");
}

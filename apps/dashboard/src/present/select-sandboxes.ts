import type { SandboxRow } from "../api/sandbox-types.ts";
import type { State } from "../api/types.ts";

/** Selection of sandboxes. Empty texts select everything. */
export interface SandboxFilter {
  /** Words that the name, namespace, key or message must contain. */
  readonly text: string;
  readonly owner: string;
  /** `KEY`, or `KEY=VALUE`. */
  readonly label: string;
  readonly state: State | "";
}

/** Returns the selected sandboxes, those that expire first in front. */
export function selectSandboxes(
  rows: readonly SandboxRow[],
  { text, owner, label, state }: SandboxFilter,
): SandboxRow[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return rows
    .filter((row) => {
      const content = `${row.name} ${row.namespace ?? ""} ${row.routingKey} ${row.word} ${row.message}`.toLowerCase();
      return (
        words.every((word) => content.includes(word)) &&
        (owner === "" || row.owner === owner) &&
        (state === "" || row.state === state) &&
        hasLabel(row, label.trim())
      );
    })
    .toSorted((one, other) => expiryOf(one).localeCompare(expiryOf(other)) || one.name.localeCompare(other.name));
}

function hasLabel({ labels }: SandboxRow, text: string): boolean {
  if (text === "") return true;
  const [key = "", value] = text.split("=", 2);
  return Object.hasOwn(labels, key) && (value === undefined || labels[key] === value);
}

/** Returns a text that sorts sandboxes without an expiry last. */
function expiryOf({ expiresAt }: SandboxRow): string {
  return expiresAt === "" ? "9999" : expiresAt;
}

import { nameKinds } from "../hpack/field-names.ts";
import type { FieldTable } from "../hpack/field-table.ts";
import { encodeLiteral, literalOverheadBytes, writeLiteral } from "../hpack/literal-writer.ts";
import type { ForwardPlan } from "../router/route-plan.ts";

/** `:scheme: http` of the static table. */
const schemeHttp = 0x86;

type Fields = readonly (readonly [name: string, value: string])[];

/**
 * Returns the header block of a forwarded request: fields that do not change are copied as they arrived, those that the plan removes or sets are left
 * out, and those that it sets follow. The scheme becomes that of the upstream connection, because some servers compare the two.
 */
export function writeRequestBlock(table: FieldTable, { path, edits }: ForwardPlan, oldPath: string): Buffer {
  const { remove, set } = edits;
  const additions: Buffer[] = [];
  let size = table.endAt(table.count - 1) - table.startAt(0) + path.length + literalOverheadBytes + 1;
  for (const [name, value] of set) {
    const field = encodeLiteral(name, value);
    additions.push(field);
    size += field.length;
  }
  const { bytes } = table;
  const block = Buffer.allocUnsafe(size);
  let at = 0;
  // Neighbouring fields are copied together, from `from` to `to`.
  let from = table.startAt(0);
  let to = from;
  for (let index = 0; index < table.count; index += 1) {
    const kind = table.kindAt(index);
    const isKept =
      kind === nameKinds.scheme
        ? false
        : kind === nameKinds.path
          ? path === oldPath
          : kind === nameKinds.regular || kind > nameKinds.status
            ? !isEdited(table.nameAt(index), remove, set)
            : true;
    if (isKept) {
      to = table.endAt(index);
      continue;
    }
    at = copy(bytes, from, to, block, at);
    if (kind === nameKinds.scheme) {
      block[at] = schemeHttp;
      at += 1;
    } else if (kind === nameKinds.path) at = writeLiteral(block, at, ":path", path);
    from = table.endAt(index);
    to = from;
  }
  at = copy(bytes, from, to, block, at);
  for (const field of additions) at = copy(field, 0, field.length, block, at);
  return block.subarray(0, at);
}

function isEdited(name: string, remove: readonly string[], set: Fields): boolean {
  for (const other of remove) if (other === name) return true;
  for (const [other] of set) if (other === name) return true;
  return false;
}

function copy(bytes: Buffer, from: number, to: number, block: Buffer, at: number): number {
  const count = to - from;
  if (count <= 48) for (let index = 0; index < count; index += 1) block[at + index] = bytes[from + index] ?? 0;
  else bytes.copy(block, at, from, to);
  return at + count;
}

/** Returns the fields to add to a block. */
export function writeAdditions(fields: Fields): Buffer | undefined {
  if (fields.length === 0) return undefined;
  return Buffer.concat(fields.map(([name, value]) => encodeLiteral(name, value)));
}

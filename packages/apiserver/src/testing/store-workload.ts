import assert from "node:assert/strict";
import type { Store } from "../storage/store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the key that the write with a revision is to. */
function keyFor(revision: number): string {
  return `pods/default/${(revision * 7919) % 37}`;
}

function valueFor(revision: number): string {
  return `${revision}:${"x".repeat((revision * 31) % 90)}`;
}

/**
 * Performs the write that follows a revision. Each revision has exactly one possible write, so the expected state at
 * any revision is known.
 */
export function writeNext(store: Store<string>): number {
  const revision = store.revision + 1;
  const key = keyFor(revision);
  if (store.get(key) === undefined) store.create(key, encoder.encode(valueFor(revision)));
  else if (revision % 5 === 0) store.delete(key);
  else store.update(key, encoder.encode(valueFor(revision)));
  assert.equal(store.revision, revision);
  return revision;
}

/** Returns the content of a store, key by key. */
export function contentsOf(store: Store<string>): ReadonlyMap<string, string> {
  return new Map(
    store
      .view()
      .entries({ prefix: "" })
      .map(({ key, bytes, revision, createdRevision }) => [
        key,
        `${createdRevision} ${revision} ${decoder.decode(bytes)}`,
      ]),
  );
}

/** Returns the expected content of a store at a revision. */
export function contentsAt(revision: number): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  const created = new Map<string, number>();
  for (let r = 2; r <= revision; r += 1) {
    const key = keyFor(r);
    if (contents.has(key) && r % 5 === 0) {
      contents.delete(key);
      created.delete(key);
      continue;
    }
    if (!created.has(key)) created.set(key, r);
    contents.set(key, `${created.get(key)} ${r} ${valueFor(r)}`);
  }
  return new Map([...contents].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

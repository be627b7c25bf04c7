import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listPage, type Listed, type StoreListOptions } from "./page.ts";
import { colorOf, newStore, type Sample, sample } from "../testing/store-sample.ts";
import type { Store } from "./store.ts";

function listed(store: Store<Sample>, options: Partial<StoreListOptions<Sample>> = {}): Listed<Sample> {
  const outcome = listPage(store, { prefix: "pods/", ...options });
  assert.equal(outcome.outcome, "listed");
  return outcome;
}

function keysOf({ entries }: Listed<Sample>): string[] {
  return entries.map(({ key }) => key);
}

/** A store with five pods in two namespaces, and keys outside the prefix. */
function filled(): Store<Sample> {
  const { store } = newStore();
  for (const key of ["pods/a/1", "pods/a-b/1", "podsx/a/1", "pod", "pods/a/2", "pods/b/1", "pods/a/10"])
    store.create(key, sample(0, key.endsWith("1") ? "red" : "blue"));
  return store;
}

describe("listPage", () => {
  it("returns the entries with a prefix in key order", () => {
    const store = filled();

    assert.deepEqual(keysOf(listed(store)), ["pods/a-b/1", "pods/a/1", "pods/a/10", "pods/a/2", "pods/b/1"]);
    assert.deepEqual(keysOf(listed(store, { prefix: "pods/a/" })), ["pods/a/1", "pods/a/10", "pods/a/2"]);
    assert.deepEqual(listed(store, { prefix: "jobs/" }), { outcome: "listed", revision: 8, entries: [] });
  });

  it("returns pages of the revision of the first page, with the number of remaining entries", () => {
    const store = filled();

    const first = listed(store, { limit: 2 });
    store.delete("pods/a/10");
    store.create("pods/a/11", sample(0));
    const second = listed(store, { limit: 2, continueToken: first.continueToken ?? "" });
    const third = listed(store, { limit: 2, continueToken: second.continueToken ?? "" });

    assert.deepEqual(keysOf(first), ["pods/a-b/1", "pods/a/1"]);
    assert.equal(first.remainingItemCount, 3);
    assert.deepEqual(keysOf(second), ["pods/a/10", "pods/a/2"]);
    assert.equal(second.remainingItemCount, 1);
    assert.deepEqual(keysOf(third), ["pods/b/1"]);
    assert.deepEqual([first.revision, second.revision, third.revision], [8, 8, 8]);
    assert.ok(!("continueToken" in third) && !("remainingItemCount" in third));
  });

  it("returns no token when the limit equals the number of entries", () => {
    const page = listed(filled(), { limit: 5 });

    assert.equal(page.entries.length, 5);
    assert.ok(!("continueToken" in page) && !("remainingItemCount" in page));
  });

  it("applies the limit to matching entries and returns no remainingItemCount", () => {
    const matches = (entry: Parameters<typeof colorOf>[0]): boolean => colorOf(entry) === "red";
    const store = filled();

    const first = listed(store, { limit: 2, matches });
    const second = listed(store, { limit: 2, matches, continueToken: first.continueToken ?? "" });

    assert.deepEqual(keysOf(first), ["pods/a-b/1", "pods/a/1"]);
    assert.ok("continueToken" in first && !("remainingItemCount" in first));
    assert.deepEqual(keysOf(second), ["pods/b/1"]);
    assert.ok(!("continueToken" in second));
  });

  it("ends with an empty page when no remaining entry matches, as kube-apiserver does", () => {
    const matches = ({ key }: { key: string }): boolean => key === "pods/a/1";
    const store = filled();

    const first = listed(store, { limit: 1, matches });
    const second = listed(store, { limit: 1, matches, continueToken: first.continueToken ?? "" });

    assert.deepEqual(keysOf(first), ["pods/a/1"]);
    assert.ok("continueToken" in first);
    assert.deepEqual(keysOf(second), []);
  });

  it("offers a token for the newest state when the revision of a token is compacted", () => {
    const store = filled();
    const first = listed(store, { limit: 2 });
    store.create("pods/a/11", sample(0));
    store.compact();

    const expired = listPage(store, { prefix: "pods/", limit: 2, continueToken: first.continueToken ?? "" });
    assert.equal(expired.outcome, "continue-expired");
    const next = listed(store, { limit: 2, continueToken: expired.continueToken });
    const rest = listed(store, { limit: 5, continueToken: next.continueToken ?? "" });

    assert.equal(expired.oldest, 9);
    assert.equal(
      Buffer.from(expired.continueToken, "base64url").toString(),
      String.raw`{"v":"meta.k8s.io/v1","rv":-1,"start":"/a/1\u0000"}`,
    );
    assert.deepEqual(keysOf(next), ["pods/a/10", "pods/a/11"]);
    assert.equal(next.revision, 9);
    assert.deepEqual(keysOf(rest), ["pods/a/2", "pods/b/1"]);
  });

  it("lists an exact revision, or reports that it is compacted or in the future", () => {
    const store = filled();

    const exact = listed(store, { revision: 3 });
    const future = listPage(store, { prefix: "pods/", revision: 99 });
    store.compact(5);
    const compacted = listPage(store, { prefix: "pods/", revision: 4 });

    assert.deepEqual(keysOf(exact), ["pods/a-b/1", "pods/a/1"]);
    assert.equal(exact.revision, 3);
    assert.deepEqual(future, { outcome: "future", newest: 8 });
    assert.deepEqual(compacted, { outcome: "compacted", oldest: 5 });
  });

  it("refuses an invalid token", () => {
    const outcome = listPage(filled(), { prefix: "pods/", continueToken: "nonsense!" });

    assert.deepEqual(outcome, {
      outcome: "continue-invalid",
      problem: "continue key is not valid: illegal base64 data at input byte 8",
    });
  });
});

import { type ContinuePosition, decodeContinue, encodeContinue } from "./continue-token.ts";
import type { Entry } from "./entry.ts";
import type { RevisionCompacted, RevisionFuture } from "./outcomes.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

/** Options of {@link listPage}. */
export interface StoreListOptions<T> {
  /** Prefix of the keys; ends with a slash. */
  readonly prefix: string;
  /** Maximum number of matching entries. Without it, or with 0: all. */
  readonly limit?: number;
  /** Continue token of the previous page. */
  readonly continueToken?: string;
  /** Revision to list; default the newest. Must not be combined with a token, which contains its own. */
  readonly revision?: number;
  /** Filter for label and field selectors. */
  readonly matches?: (entry: Entry<T>) => boolean;
}

/** A list, or one page of it. */
export interface Listed<T> {
  readonly outcome: "listed";
  /** Revision of the listed state: the list's `resourceVersion`. */
  readonly revision: number;
  readonly entries: readonly Entry<T>[];
  /** Token of the next page; absent on the last one. */
  readonly continueToken?: string;
  /** Number of entries after this page. Absent with selectors, because the remaining entries were not matched. */
  readonly remainingItemCount?: number;
}

/** The revision of the token is compacted: 410, with a token that continues at the same key in the newest state. */
export interface ContinueExpired {
  readonly outcome: "continue-expired";
  readonly oldest: number;
  readonly continueToken: string;
}

/** The token is invalid: 400 with this message. */
export interface ContinueInvalid {
  readonly outcome: "continue-invalid";
  readonly problem: string;
}

/** Result of a list. */
export type ListOutcome<T> = Listed<T> | RevisionCompacted | RevisionFuture | ContinueExpired | ContinueInvalid;

/**
 * Lists the entries with a prefix in the order of their keys, completely or in pages.
 *
 * All pages show the revision of the first one, so a client that follows the tokens sees one consistent state. As in
 * kube-apiserver, a token is returned when the limit was reached and any key is left, whether or not it matches the
 * selectors: the last page may be empty.
 */
export function listPage<T>(store: Store<T>, options: StoreListOptions<T>): ListOutcome<T> {
  const { prefix, continueToken, revision } = options;
  if (continueToken !== undefined && continueToken !== "") {
    const decoded = decodeContinue(continueToken, prefix);
    if ("problem" in decoded) return { outcome: "continue-invalid", problem: decoded.problem };
    return nextPage(store, decoded.position, options);
  }
  if (revision === undefined) return page(store.view(), prefix, options);
  const found = store.at(revision);
  return found.outcome === "found" ? page(found.view, prefix, options) : found;
}

function nextPage<T>(
  store: Store<T>,
  { revision, start }: ContinuePosition,
  options: StoreListOptions<T>,
): ListOutcome<T> {
  if (revision < 0) return page(store.view(), start, options);
  const found = store.at(revision);
  switch (found.outcome) {
    case "found":
      return page(found.view, start, options);
    case "future":
      return found;
    case "compacted":
      return {
        outcome: "continue-expired",
        oldest: found.oldest,
        continueToken: encodeContinue({ revision: -1, start }, options.prefix),
      };
  }
}

function page<T>(view: View<T>, start: string, { prefix, limit = 0, matches }: StoreListOptions<T>): Listed<T> {
  const { revision } = view;
  if (limit <= 0 && matches === undefined && start === prefix)
    return { outcome: "listed", revision, entries: view.entries({ prefix }) };
  const entries: Entry<T>[] = [];
  view.scan({ prefix, start }, (entry) => {
    if (matches === undefined || matches(entry)) entries.push(entry);
    return limit <= 0 || entries.length < limit;
  });
  const last = entries.at(-1);
  if (limit <= 0 || entries.length < limit || last === undefined) return { outcome: "listed", revision, entries };
  const next = `${last.key}\0`;
  const remainingItemCount = view.count({ prefix, start: next });
  if (remainingItemCount === 0) return { outcome: "listed", revision, entries };
  return {
    outcome: "listed",
    revision,
    entries,
    continueToken: encodeContinue({ revision, start: next }, prefix),
    ...(matches === undefined ? { remainingItemCount } : {}),
  };
}

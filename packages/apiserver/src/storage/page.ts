import { type ContinuePlace, decodeContinue, encodeContinue } from "./continue-token.ts";
import type { Entry } from "./entry.ts";
import type { RevisionCompacted, RevisionFuture } from "./outcomes.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

/** What to list. */
export interface StoreListOptions<T> {
  /** What the keys begin with; ends with a slash. */
  readonly prefix: string;
  /** At most so many matching entries. Zero, or none: all. */
  readonly limit?: number;
  /** The token of the page before. */
  readonly continueToken?: string;
  /** Exactly this revision, instead of the newest. Not together with a token, which names its own. */
  readonly revision?: number;
  /** Which entries to take, when the list has selectors. */
  readonly matches?: (entry: Entry<T>) => boolean;
}

/** A list, or one page of it. */
export interface Listed<T> {
  readonly outcome: "listed";
  /** The state it shows: the list's `resourceVersion`. */
  readonly revision: number;
  readonly entries: readonly Entry<T>[];
  /** Leads to the next page, if there may be one. */
  readonly continueToken?: string;
  /** How many entries are left behind this page. With selectors nobody knows. */
  readonly remainingItemCount?: number;
}

/** The token's state is forgotten: 410, with a token that goes on from the same key in the newest state. */
export interface ContinueExpired {
  readonly outcome: "continue-expired";
  readonly oldest: number;
  readonly continueToken: string;
}

/** The token is none of ours: 400, with this problem. */
export interface ContinueInvalid {
  readonly outcome: "continue-invalid";
  readonly problem: string;
}

/** What became of a list. */
export type ListOutcome<T> = Listed<T> | RevisionCompacted | RevisionFuture | ContinueExpired | ContinueInvalid;

/**
 * Lists the entries below a prefix in the order of their keys, all or page by page.
 *
 * All pages show the state of the first. `remainingItemCount` and the token are given where kube-apiserver gives them: when the limit
 * was reached and any key, matching or not, is left.
 */
export function listPage<T>(store: Store<T>, options: StoreListOptions<T>): ListOutcome<T> {
  const { prefix, continueToken, revision } = options;
  if (continueToken !== undefined && continueToken !== "") {
    const decoded = decodeContinue(continueToken, prefix);
    if ("problem" in decoded) return { outcome: "continue-invalid", problem: decoded.problem };
    return nextPage(store, decoded.place, options);
  }
  if (revision === undefined) return page(store.view(), prefix, options);
  const found = store.at(revision);
  return found.outcome === "found" ? page(found.view, prefix, options) : found;
}

function nextPage<T>(
  store: Store<T>,
  { revision, start }: ContinuePlace,
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

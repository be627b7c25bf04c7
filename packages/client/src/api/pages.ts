import type { KubeObject, ResourceType } from "@homeostat/core";
import type { Caller } from "./call.ts";
import { list, type ListOptions, type Page } from "./list.ts";
import { PageExpiredError } from "./expired.ts";

/** Options for iterating over a long list. */
export interface PagesOptions extends ListOptions {
  /** The maximum number of objects per page. Default 500. */
  readonly limit?: number | undefined;
  /**
   * Reaction when the server has compacted the state of the first page, which happens after some minutes: `fail` with a
   * `PageExpiredError` (default), or continue with `inconsistent` remaining pages.
   */
  readonly onExpired?: "fail" | "inconsistent" | undefined;
}

/** Stops iterating over a faulty server that returns pages without end. With 500 per page this is a hundred million objects. */
const pagesMax = 200_000;

/** Returns the pages of a list, each fetched when the iterator reaches it. */
export async function* pages<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  { onExpired = "fail", ...options }: PagesOptions = {},
): AsyncGenerator<Page<T>, void, undefined> {
  let next: ListOptions = { ...options, limit: options.limit ?? 500 };
  for (let count = 0; count < pagesMax; count += 1) {
    let page;
    try {
      page = await list(caller, type, next);
    } catch (error) {
      const token = error instanceof PageExpiredError ? error.inconsistentContinue : undefined;
      if (onExpired === "fail" || token === undefined || token === next.continue) throw error;
      next = { ...next, continue: token };
      continue;
    }
    yield page;
    if (page.continue === undefined) return;
    // The token contains the resource version; the server rejects a request with both.
    next = { ...next, continue: page.continue, resourceVersion: undefined, resourceVersionMatch: undefined };
  }
}

/** Returns the objects of a list one by one, fetched page by page. */
export async function* items<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  options: PagesOptions = {},
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(caller, type, options)) yield* page.items;
}

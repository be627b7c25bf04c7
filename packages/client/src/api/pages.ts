import type { KubeObject, ResourceType } from "@homeostat/core";
import type { Caller } from "./call.ts";
import { list, type ListOptions, type Page } from "./list.ts";
import { PageExpiredError } from "./expired.ts";

/** How to go through a long list. */
export interface PagesOptions extends ListOptions {
  /** How many objects a page has. Default 500. */
  readonly limit?: number | undefined;
  /**
   * What to do when the server has forgotten the state of the first page, after some minutes: `fail` with a
   * `PageExpiredError` (default), or go on with an `inconsistent` rest.
   */
  readonly onExpired?: "fail" | "inconsistent" | undefined;
}

/** A server that hands out page after page without an end has a fault; this is a hundred million objects. */
const pagesMax = 200_000;

/** The pages of a list, each fetched when it is asked for. */
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
    // The token knows the version; to name it again is an error.
    next = { ...next, continue: page.continue, resourceVersion: undefined, resourceVersionMatch: undefined };
  }
}

/** The objects of a list, one by one, fetched page by page. */
export async function* items<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  options: PagesOptions = {},
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(caller, type, options)) yield* page.items;
}

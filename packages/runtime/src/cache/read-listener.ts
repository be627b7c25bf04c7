import type { ObjectKey } from "@homeostat/core";
import type { ListQuery } from "./informer.ts";

/** Receiver of the reads of an informer. Called within the read, so it must not throw or wait. */
export interface ReadListener {
  /** Called after a search for one object. */
  gotObject(key: string | ObjectKey, isFound: boolean): void;
  /** Called after a list, with the number of objects. */
  listed(query: ListQuery, count: number): void;
  /** Called after a search in an index, with the number of objects. */
  foundByIndex(index: string, value: string, count: number): void;
}

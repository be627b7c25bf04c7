import type { ListOptions } from "@homeostat/client";
import type { Clock } from "@homeostat/core";
import type { ReadNote, ReconcileJournal } from "./journal.ts";
import type { ReadingClient } from "./recorded-client.ts";
import { targetOf } from "./write-recorder.ts";

/** The subject of a read: its verb, its resource, and the key or selection. */
type ReadSubject = Pick<ReadNote, "verb" | "resource" | "of">;

/** Returns the reading methods of a client. They add each read to the journal, with the time of its requests. */
export function recordedReads(
  client: ReadingClient,
  { journal, clock }: { readonly journal: ReconcileJournal; readonly clock: Clock },
): ReadingClient {
  const measured = async <R>(about: ReadSubject, call: () => Promise<R>, count: (result: R) => number): Promise<R> => {
    const begin = clock.monotonic();
    const note = (objects: number, isFailed: boolean): void =>
      journal.read?.({ ...about, source: "live", objects, ms: clock.monotonic() - begin, isFailed });
    let result: R;
    try {
      result = await call();
    } catch (error) {
      note(0, true);
      throw error;
    }
    note(count(result), false);
    return result;
  };

  /** Yields the parts of a response that is read in parts. The time between two parts that the caller needs is not counted. */
  async function* each<R>(
    about: ReadSubject,
    parts: AsyncIterable<R>,
    count: (part: R) => number,
  ): AsyncGenerator<R, void> {
    const iterator = parts[Symbol.asyncIterator]();
    let ms = 0;
    let objects = 0;
    let isFailed = true;
    try {
      for (;;) {
        const begin = clock.monotonic();
        const next = await iterator.next();
        ms += clock.monotonic() - begin;
        if (next.done === true) break;
        objects += count(next.value);
        isFailed = false;
        yield next.value;
        isFailed = true;
      }
      isFailed = false;
    } finally {
      await iterator.return?.();
      journal.read?.({ ...about, source: "live", objects, ms, isFailed });
    }
  }

  const selected = (resource: string, options: ListOptions = {}): ReadSubject => ({
    verb: "list",
    resource,
    of: selectionText(options),
  });
  return {
    get: (type, name, how) => {
      const { resource, key } = targetOf({ type, name, subresource: how?.subresource });
      return measured(
        { verb: "get", resource, of: key },
        () => client.get(type, name, how),
        (object) => (object === undefined ? 0 : 1),
      );
    },
    list: (type, how) =>
      measured(
        selected(targetOf({ type, name: { name: "" } }).resource, how),
        () => client.list(type, how),
        (page) => page.items.length,
      ),
    pages: (type, how) =>
      each(
        selected(targetOf({ type, name: { name: "" } }).resource, how),
        client.pages(type, how),
        (page) => page.items.length,
      ),
    items: (type, how) =>
      each(selected(targetOf({ type, name: { name: "" } }).resource, how), client.items(type, how), () => 1),
    logs: (pod, how) => each({ verb: "get", resource: "pods/log", of: podKey(pod) }, client.logs(pod, how), () => 0),
    logBytes: (pod, how) =>
      measured(
        { verb: "get", resource: "pods/log", of: podKey(pod) },
        () => client.logBytes(pod, how),
        () => 0,
      ),
  };
}

function podKey({ namespace = "", name }: { readonly namespace?: string | undefined; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Returns the selection of a list as text: `all in shop with app=web`. */
function selectionText({ namespace = "", labelSelector = "", fieldSelector = "" }: ListOptions): string {
  const selectors = [String(labelSelector), String(fieldSelector)].filter((text) => text !== "").join(" and ");
  return `all${namespace === "" ? "" : ` in ${namespace}`}${selectors === "" ? "" : ` with ${selectors}`}`;
}

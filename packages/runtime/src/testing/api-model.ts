// An in-memory model of an API server for one kind: revisions, lists, watches, a limited history, and faults on
// demand.

import { LineSplitter } from "@homeostat/client/internal";
import { apiErrorFrom, NetworkError } from "@homeostat/core";
import type { ListRequest, Source, WatchRequest } from "../cache/source.ts";

/** An object as the model stores it. */
export interface Stored {
  readonly key: string;
  readonly uid: string;
  readonly rev: number;
  /** True if its labels and fields match the selections of the tests. */
  readonly isOn: boolean;
  readonly value: number;
  readonly hasFinalizer: boolean;
  readonly isDeleting: boolean;
}

/** One change in the history of the server. */
export interface Entry {
  readonly rev: number;
  readonly key: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  readonly by: string;
}

/** The model of the server. */
export class ApiModel {
  revision = 100;
  readonly objects: Map<string, Stored> = new Map();
  readonly log: Entry[] = [];
  /** Watches from before this revision get a 410. */
  floor = 0;
  #uids = 0;

  /** Writes to another kind: revisions are shared by all kinds. */
  noise(): void {
    this.revision += 1;
  }

  /** Creates or changes an object. Returns the unchanged object if nothing changes. */
  put(key: string, change: Partial<Pick<Stored, "isOn" | "value" | "hasFinalizer">>, by: string): Stored | undefined {
    const before = this.objects.get(key);
    if (before !== undefined && Object.entries(change).every(([name, value]) => Reflect.get(before, name) === value)) {
      return before;
    }
    this.revision += 1;
    const after: Stored = {
      ...(before ?? { key, uid: this.#newUid(), isOn: true, value: 0, hasFinalizer: false, isDeleting: false }),
      ...change,
      rev: this.revision,
    };
    if (after.isDeleting && !after.hasFinalizer) {
      this.#record(key, before, undefined, by);
      return undefined;
    }
    this.#record(key, before, after, by);
    return after;
  }

  /**
   * Deletes an object, or marks it as deleted if a finalizer keeps it. Returns the remaining object, or the uid of the
   * deleted one.
   */
  delete(key: string, by: string): { object: Stored } | { uid: string } | undefined {
    const before = this.objects.get(key);
    if (before === undefined) return undefined;
    if (before.hasFinalizer && before.isDeleting) return { object: before };
    this.revision += 1;
    if (!before.hasFinalizer) {
      this.#record(key, before, undefined, by);
      return { uid: before.uid };
    }
    const after = { ...before, isDeleting: true, rev: this.revision };
    this.#record(key, before, after, by);
    return { object: after };
  }

  /** Returns the objects at a revision. */
  at(revision: number): Stored[] {
    const objects = new Map<string, Stored>();
    for (const { rev, key, after } of this.log) {
      if (rev > revision) break;
      if (after === undefined) objects.delete(key);
      else objects.set(key, after);
    }
    return [...objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #record(key: string, before: Stored | undefined, after: Stored | undefined, by: string): void {
    if (after === undefined) this.objects.delete(key);
    else this.objects.set(key, after);
    this.log.push({ rev: this.revision, key, before, after, by });
  }

  #newUid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }
}

/** Returns the object as JSON, with another revision where the server sends one. */
export function toJson(object: Stored, rev: number = object.rev): string {
  const labels = object.isOn ? '{"on":"yes"}' : "{}";
  const deleting = object.isDeleting ? ',"deletionTimestamp":"2026-01-01T00:00:00Z"' : "";
  const finalizers = object.hasFinalizer ? ',"finalizers":["test/hold"]' : "";
  return (
    `{"apiVersion":"test.dev/v1","kind":"Thing","metadata":{"labels":${labels},"managedFields":[{"manager":"m"}],` +
    `"name":"${object.key}","resourceVersion":"${rev}","uid":"${object.uid}"${deleting}${finalizers}},` +
    `"spec":{"mode":"${object.isOn ? "on" : "off"}","value":"v${object.value}"}}`
  );
}

/** A response body that the test fills chunk by chunk. */
export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #chunks: Buffer[] = [];
  #end: { error: unknown } | "ended" | undefined;
  #notifyReader: (() => void) | undefined;
  /** True if the reader has left or the end was reached. */
  isClosed = false;

  push(chunk: string | Buffer): void {
    this.#chunks.push(Buffer.from(chunk));
    this.#notifyReader?.();
  }

  end(): void {
    this.#end ??= "ended";
    this.#notifyReader?.();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#chunks.length = 0;
    this.#notifyReader?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) yield chunk;
        if (this.#end === "ended") return;
        if (this.#end !== undefined) throw this.#end.error;
        await new Promise<void>((resolve) => {
          this.#notifyReader = resolve;
        });
      }
    } finally {
      this.isClosed = true;
    }
  }
}

/** A request of the cache that the test has not responded to yet, or whose body is still open. */
export interface Call {
  readonly kind: "list" | "watch";
  readonly list: ListRequest | undefined;
  readonly watch: WatchRequest | undefined;
  readonly body: Pipe;
  /** True if the response headers were sent. */
  hasResponded: boolean;
  /** For a watch, the revision up to which everything was sent. */
  cursor: number;
  readonly respond: () => void;
  readonly refuse: (error: unknown) => void;
}

/** The source of the cache under test. It only records requests. */
export class ModelSource implements Source {
  readonly calls: Call[] = [];

  list(request: ListRequest): Promise<AsyncIterable<Uint8Array>> {
    return this.#call("list", request, undefined, request.signal);
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<Buffer>> {
    return linesOf(await this.#call("watch", undefined, request, request.signal));
  }

  /** The requests that the cache still waits for or reads from. */
  get open(): readonly Call[] {
    for (let i = this.calls.length - 1; i >= 0; i -= 1)
      if (this.calls[i]?.body.isClosed === true) this.calls.splice(i, 1);
    return this.calls;
  }

  #call(
    kind: "list" | "watch",
    list: ListRequest | undefined,
    watch: WatchRequest | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const body = new Pipe();
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => {
        body.isClosed = true;
        reject(error);
      };
      const stop = (): void => {
        body.fail(signal.reason);
        refuse(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      const call: Call = {
        kind,
        list,
        watch,
        body,
        hasResponded: false,
        cursor: Number(watch?.resourceVersion ?? 0),
        respond: () => {
          call.hasResponded = true;
          resolve(body);
        },
        refuse,
      };
      this.calls.push(call);
    });
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const ready: Buffer[] = [];
  const splitter = new LineSplitter((line) => ready.push(line));
  for await (const chunk of body) {
    splitter.push(Buffer.from(chunk));
    yield* ready.splice(0);
  }
}

const refusals = new Map<number, Error>();

/** Returns the error of a refused request. Created once per status, since capturing a stack trace is slow. */
export function refusal(status: number, retryAfter?: string): Error {
  const cached = refusals.get(status);
  if (cached !== undefined) return cached;
  const error = apiErrorFrom({ status, body: statusText(status), headers: { "retry-after": retryAfter } });
  refusals.set(status, error);
  return error;
}

const reset = new NetworkError({ socketCode: "ECONNRESET" });

/** Returns the error of a broken connection. */
export function broken(): Error {
  return reset;
}

const reasons: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [403, "Forbidden"],
  [410, "Expired"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
]);

/** Returns a `Status` as text. */
export function statusText(code: number): string {
  const reason = reasons.get(code) ?? "InternalError";
  return `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"${reason}","code":${code}}`;
}

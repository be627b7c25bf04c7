import { resourceOffer } from "../codec/media-types.ts";
import type { HandlerResponse } from "../http/handler.ts";
import type { Call } from "../registry/call.ts";
import { decodeListOptions } from "../request/list-options.ts";
import { internalErrorStatus, tooOldVersionStatus } from "../status/refusals.ts";
import type { ServerStatus } from "../status/status.ts";
import type { Watcher } from "../watch/watcher.ts";
import { includeOf } from "./responses.ts";
import type { AuthorizedRequest } from "./context.ts";
import { type Form, formOf } from "./response-form.ts";
import { errorFrame, shapesOf } from "./watch-shapes.ts";

/** Handles a watch: responds with a stream of events. Throws a `StatusError` when it cannot start. */
export async function handleWatch({ request, parts, signal }: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { kind } = call;
  const { isCustom } = kind.resource;
  const form = formOf(request, resourceOffer({ isCustom }), { isRouted: !isCustom, isStream: true });
  const options = decodeListOptions(request.query, { isWatch: true });
  const { registry, clock } = parts;
  const context = { kind, form, nowMs: () => clock.now(), include: includeOf(request.query, form) };
  // Only the deprecated `/watch/` paths can name a single object.
  const isNamed = request.info.isOldPrefix;
  const begun = await registry.watch(
    { ...call, name: isNamed ? call.name : "" },
    options,
    shapesOf(context, (entry) => registry.context.store.read(entry)),
  );
  const stream = "watcher" in begun ? events(begun.watcher, form, signal) : singleError(begun.expired, form);
  return { status: 200, headers: { "Content-Type": streamType(form) }, stream };
}

function streamType({ mediaType }: Form): string {
  return mediaType === "application/vnd.kubernetes.protobuf" ? `${mediaType};stream=watch` : "application/json";
}

async function* events(
  watcher: Watcher<Record<string, unknown>>,
  form: Form,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const close = (): void => watcher.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    for (let batch = await watcher.next(); batch !== undefined; batch = await watcher.next()) {
      const [first] = batch;
      if (first !== undefined) yield batch.length === 1 ? first : concatenated(batch);
    }
    const last = lastStatus(watcher);
    if (last !== undefined) yield await errorFrame(last, form);
  } finally {
    signal.removeEventListener("abort", close);
    watcher.close();
  }
}

let last: { readonly batch: readonly Uint8Array[]; readonly bytes: Uint8Array } | undefined;

/**
 * Concatenates the events of a batch. Many watchers get the same batch one after another and share the bytes, so the last one is cached.
 */
function concatenated(batch: readonly Uint8Array[]): Uint8Array {
  const isLast = last?.batch.length === batch.length && batch.every((frame, at) => frame === last?.batch[at]);
  if (!isLast || last === undefined) last = { batch, bytes: Buffer.concat(batch) };
  return last.bytes;
}

/** Returns the status of the final ERROR event; undefined when the watch ended normally. */
function lastStatus({ end, revision }: Watcher<Record<string, unknown>>): ServerStatus | undefined {
  switch (end?.why) {
    case "expired":
      return tooOldVersionStatus(String(revision), String(revision + 1));
    case "failed":
      return internalErrorStatus(end.error instanceof Error ? end.error.message : String(end.error));
    case "dropped":
      // Throwing closes the connection without an end, as a network failure does.
      throw new Error("the watch was dropped");
    default:
      return undefined;
  }
}

async function* singleError(status: ServerStatus, form: Form): AsyncGenerator<Uint8Array> {
  yield await errorFrame(status, form);
}

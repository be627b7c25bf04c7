import type { JsonRecord } from "@homeostat/core";
import type { ListOptions } from "../request/list-options.ts";
import { tooOldVersionStatus, unknownErrorStatus } from "../status/refusals.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import type { WatchHub } from "../watch/hub.ts";
import type { Shape } from "../watch/shape.ts";
import type { Watcher, WatchStart } from "../watch/watcher.ts";
import type { Call } from "./call.ts";
import type { RegistryContext } from "./context.ts";
import { keyOf, namespacePrefix } from "../resources/keys.ts";
import { selectionOf } from "./selection.ts";
import { readRevision, waitForRevision } from "./revision.ts";

/** Encodings of the events of a watch. */
export interface WatchShapes {
  readonly shape: Shape<JsonRecord>;
  /** Encoding of the first event, if it differs: the first event of a Table watch carries the column definitions. */
  readonly firstShape?: Shape<JsonRecord>;
}

/** A started watch, or the status that is sent as its only event because the requested revision has expired. */
export type WatchStartResult = { readonly watcher: Watcher<JsonRecord> } | { readonly expired: ServerStatus };

/**
 * `--min-request-timeout` of kube-apiserver. A watch without `timeoutSeconds` lasts between this and twice as long, chosen at random, so
 * that watches that started together do not all reconnect together.
 */
const timeoutMsMin = 1_800_000;

/** Starts a watch. Throws the same `StatusError` as kube-apiserver. */
export async function watchObjects(
  context: RegistryContext,
  hub: WatchHub<JsonRecord>,
  call: Call,
  options: ListOptions,
  shapes: WatchShapes,
): Promise<WatchStartResult> {
  const { store, clock, random } = context;
  const { kind, namespace, name } = call;
  const version = readRevision(options.resourceVersion);
  if (typeof version !== "number") {
    const problem = `resourceVersion: Invalid value: ${JSON.stringify(options.resourceVersion)}: ${version.problem}`;
    throw new StatusError(unknownErrorStatus(problem));
  }
  const selection = selectionOf(kind, options, { store, name });
  const sendsInitial = options.sendInitialEvents === true;
  if (sendsInitial) await waitForRevision(store, clock, version);
  // A watch without a version, or with "0", gets `sendInitialEvents` by default when its options are decoded (`SetListOptionsDefaults` of
  // apimachinery). It is 0 here only when a client turned that off, and the watch starts with the next write.
  const from: WatchStart = sendsInitial
    ? { initial: true, marksEnd: options.allowWatchBookmarks }
    : { after: version === 0 ? store.visibleRevision : version };
  const { timeoutSeconds = 0 } = options;
  const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : timeoutMsMin * (1 + random.next());
  const isSingle = selection.name !== undefined && (namespace !== "" || kind.resource.scope === "Cluster");
  const begun = hub.watch({
    prefix: namespacePrefix(kind.prefix, namespace),
    ...(isSingle ? { key: keyOf(kind.prefix, namespace, selection.name ?? "") } : {}),
    from,
    ...(selection.matches === undefined ? {} : { matches: selection.matches }),
    ...shapes,
    bookmarks: options.allowWatchBookmarks,
    timeoutMs,
  });
  if (begun.outcome === "watching") return { watcher: begun.watcher };
  return { expired: tooOldVersionStatus(String(version), String(begun.oldest)) };
}

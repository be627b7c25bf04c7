import type { JsonRecord } from "@homeostat/core";
import type { ListOptions } from "../request/list-options.ts";
import { badRequest } from "../request/option-problem.ts";
import { expiredStatus, notFoundStatus, tooOldVersionStatus, unknownErrorStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Entry } from "../storage/entry.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import { type Listed, listPage, type ListOutcome } from "../storage/page.ts";
import type { Store } from "../storage/store.ts";
import { type Call, resourceOf } from "./call.ts";
import type { RegistryContext } from "./context.ts";
import { keyOf, namespacePrefix } from "../resources/keys.ts";
import { selectionOf } from "./selection.ts";
import { readRevision, waitForRevision } from "./revision.ts";

/** Returns the entry of one object. Throws the same `StatusError` as kube-apiserver. */
export async function getObject(
  { store, clock }: RegistryContext,
  call: Call,
  { resourceVersion }: { readonly resourceVersion: string },
): Promise<Entry<JsonRecord>> {
  const version = readRevision(resourceVersion);
  if (typeof version !== "number") {
    const problem = `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${version.problem}`;
    throw new StatusError(unknownErrorStatus(problem));
  }
  await waitForRevision(store, clock, version);
  const { kind, namespace, name } = call;
  const key = keyOf(kind.prefix, kind.resource.scope === "Namespaced" ? namespace : "", name);
  const entry = await readSaved(store, () => {
    const current = store.get(key);
    return { value: current, revision: current?.revision ?? store.revision };
  });
  if (entry === undefined) throw new StatusError(notFoundStatus(resourceOf(call), name));
  return entry;
}

/**
 * Reads a value and waits until the revision it shows is saved. When saving fails, the store rolls back the unsaved writes, and the read
 * is repeated: a full disk stops writes, not reads.
 */
async function readSaved<T>(
  store: Store<JsonRecord>,
  read: () => { readonly value: T; readonly revision: number },
): Promise<T> {
  for (;;) {
    const { value, revision } = read();
    try {
      await store.persisted(revision);
      return value;
    } catch (error) {
      if (!(error instanceof StorageStoppedError)) throw error;
    }
  }
}

/** Lists all objects or one page of them. Throws the same `StatusError` as kube-apiserver. */
export async function listObjects(
  { store, clock }: RegistryContext,
  call: Call,
  options: Omit<ListOptions, "watch" | "allowWatchBookmarks">,
): Promise<Listed<JsonRecord>> {
  const { kind, namespace, name } = call;
  const version = readRevision(options.resourceVersion);
  if (typeof version !== "number") {
    const problem = `resourceVersion: Invalid value: ${JSON.stringify(options.resourceVersion)}: ${version.problem}`;
    throw badRequest(`invalid resource version: ${problem}`);
  }
  const selection = selectionOf(kind, options, { store, name });
  if (options.continue !== "" && version > 0)
    throw badRequest("specifying resource version is not allowed when using continue");
  await waitForRevision(store, clock, version);
  const exact = isExact(options, version) ? version : undefined;
  const selectedName = selection.name;
  const prefix = namespacePrefix(kind.prefix, namespace);
  const matches = selection.matches;
  // With `resourceVersion=0` kube-apiserver serves the list from its watch cache, which ignores the limit.
  const isFromCache = options.resourceVersion === "0" && options.continue === "";
  const limit = isFromCache ? 0 : Math.max(0, options.limit);
  return readSaved(store, () => {
    // A selector for one name, such as `kubectl get -w` and informers of a single object send, reads one key instead of the whole prefix.
    const listed =
      selectedName !== undefined && (namespace !== "" || kind.resource.scope === "Cluster") && exact === undefined
        ? single(store.get(keyOf(kind.prefix, namespace, selectedName)), store.revision, matches)
        : listPage(store, {
            prefix,
            limit,
            continueToken: options.continue,
            ...(exact === undefined ? {} : { revision: exact }),
            ...(matches === undefined ? {} : { matches }),
          });
    const value = listedOrThrow(listed, options);
    return { value, revision: value.revision };
  });
}

function single(
  entry: Entry<JsonRecord> | undefined,
  revision: number,
  matches: ((entry: Entry<JsonRecord>) => boolean) | undefined,
): Listed<JsonRecord> {
  const isFound = entry !== undefined && (matches === undefined || matches(entry));
  return { outcome: "listed", revision, entries: isFound ? [entry] : [] };
}

/** Reports whether the list must show exactly this revision: a version with a limit and no `resourceVersionMatch` means `Exact`. */
function isExact(
  { resourceVersionMatch, limit, continue: token }: Omit<ListOptions, "watch" | "allowWatchBookmarks">,
  version: number,
): boolean {
  if (version === 0 || token !== "") return false;
  return resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit > 0);
}

const expiredText =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
const compactedText = "The resourceVersion for the provided list is too old.";

function listedOrThrow(
  listed: ListOutcome<JsonRecord>,
  options: Pick<ListOptions, "resourceVersion">,
): Listed<JsonRecord> {
  switch (listed.outcome) {
    case "listed":
      return listed;
    case "compacted":
      throw new StatusError(expiredStatus(compactedText));
    case "future":
      throw new StatusError(tooOldVersionStatus(options.resourceVersion, String(listed.newest)));
    case "continue-expired":
      throw new StatusError(expiredStatus(expiredText, listed.continueToken));
    case "continue-invalid":
      throw badRequest(`invalid continue token: ${listed.problem}`);
  }
}

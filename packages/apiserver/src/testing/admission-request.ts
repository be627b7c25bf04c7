// Requests and clusters for the tests of admission.

import type { JsonRecord } from "@homeostat/core";
import { builtInKinds } from "../kinds/built-in-kinds.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { StatusError } from "../status/status.ts";
import { unstoredKind } from "../endpoints/unstored-kind.ts";
import { textAt } from "../values/fields.ts";
import type { AdmissionRequest, MutationRound } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";

/** Returns the kind of a built-in resource, `pods` or `deployments.apps`. */
export function kindOf(resource: string): ServedKind {
  const row = builtInKinds.find(({ plural, group }) => resource === (group === "" ? plural : `${plural}.${group}`));
  if (row === undefined) throw new Error(`no resource ${resource}`);
  return unstoredKind(row, { now: () => 0 });
}

/** Returns a request about an object in the namespace `team` by default; warnings are collected in a list. */
export function requestFor(
  resource: string,
  object: JsonRecord | undefined,
  rest: Partial<AdmissionRequest> = {},
): AdmissionRequest & { readonly warnings: string[] } {
  const kind = kindOf(resource);
  const warnings: string[] = [];
  return {
    operation: "CREATE",
    kind,
    subresource: "",
    namespace: kind.resource.scope === "Namespaced" ? "team" : "",
    name: textAt(object, "metadata", "name"),
    object,
    oldObject: undefined,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    user: { name: "ann", uid: "", groups: ["system:authenticated"], extra: {} },
    isDryRun: false,
    signal: new AbortController().signal,
    warn: (text) => void warnings.push(text),
    warnings,
    ...rest,
  };
}

/** Returns the state of the first pass of mutating steps. */
export function firstRound(): MutationRound {
  return { isReinvocation: false, memory: new Map(), requestReinvocation: () => undefined };
}

/** Returns a reader for a cluster with the given objects by resource. */
export function readerOf(objects: Readonly<Record<string, readonly JsonRecord[]>>): ClusterReader {
  const all = ({ group, resource, namespace }: { group: string; resource: string; namespace: string }): JsonRecord[] =>
    (objects[group === "" ? resource : `${resource}.${group}`] ?? []).filter(
      (object) => namespace === "" || textAt(object, "metadata", "namespace") === namespace,
    );
  return {
    list: all,
    get: (name) => all(name).find((object) => textAt(object, "metadata", "name") === name.name),
  };
}

/** Returns an object with a name, in a namespace if one is given. */
export function named(name: string, rest: object = {}, namespace = ""): JsonRecord {
  const own: JsonRecord = { ...rest };
  const metadata = typeof own["metadata"] === "object" ? own["metadata"] : {};
  return { ...own, metadata: { name, ...(namespace === "" ? {} : { namespace }), ...metadata } };
}

/** Returns the code and message of a refusal; undefined if the call succeeds. */
export async function refusal(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  }
}

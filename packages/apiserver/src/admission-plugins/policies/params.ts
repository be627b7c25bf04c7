import type { JsonRecord } from "@homeostat/core";
import type { ServedKind } from "../../resources/served-kind.ts";
import { isSet, textAt, valueAt } from "../../values/fields.ts";
import type { ClusterReader } from "../../admission/cluster-reader.ts";
import { selectorOf } from "../../admission/webhooks/hook.ts";
import { labelsOf } from "../../admission/webhooks/match.ts";

/** Returns the kind for an apiVersion and kind, or undefined. */
export type FindKind = (apiVersion: string, kind: string) => ServedKind | undefined;

/**
 * The parameter objects of a binding, or the reason why there are none. An `undefined` entry means: evaluate once
 * without params.
 */
export type Params = { readonly list: readonly (JsonRecord | undefined)[] } | { readonly problem: string };

/** Collects the parameters of a binding for a request. `namespace` is that of the request and may be empty. */
export async function paramsOf(
  ref: unknown,
  kind: ServedKind,
  { reader, namespace }: { readonly reader: ClusterReader; readonly namespace: string },
): Promise<Params> {
  const { group, plural: resource, scope } = kind.resource;
  const refNamespace = textAt(ref, "namespace");
  const isNamespaced = scope === "Namespaced";
  if (isNamespaced && refNamespace === "" && namespace === "") {
    return { problem: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources" };
  }
  if (!isNamespaced && refNamespace !== "") {
    return { problem: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`" };
  }
  const paramNamespace = isNamespaced ? (refNamespace === "" ? namespace : refNamespace) : "";
  const name = textAt(ref, "name");
  if (name === "" && !isSet(ref, "selector")) return { problem: "one of name or selector must be provided" };
  const selector = selectorOf(valueAt(ref, "selector"));
  const stored =
    name === ""
      ? reader
          .list({ group, resource, namespace: paramNamespace })
          .filter((object) => selector.matches(labelsOf(object)))
      : [reader.get({ group, resource, namespace: paramNamespace, name })].filter((object) => object !== undefined);
  if (stored.length === 0 && textAt(ref, "parameterNotFoundAction") === "Deny") {
    return { problem: "no params found for policy binding with `Deny` parameterNotFoundAction" };
  }
  const list: JsonRecord[] = [];
  for (const object of stored) list.push(await kind.fromStored(object));
  return { list };
}

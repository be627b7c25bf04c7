import type { JsonRecord } from "@homeostat/core";
import type { ServedKind } from "../../registry/served-kind.ts";
import { isSet, textAt, valueAt } from "../../values/fields.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { selectorOf } from "../webhooks/hook.ts";
import { labelsOf } from "../webhooks/match.ts";

/** Finds the kind that an object says it is of. */
export type FindKind = (apiVersion: string, kind: string) => ServedKind | undefined;

/** The parameters that a binding gives to a policy, or why there are none. `undefined` among them is to be asked without. */
export type Params = { readonly list: readonly (JsonRecord | undefined)[] } | { readonly problem: string };

/** Collects the parameters of a binding for a request in a namespace, which may be empty. */
export async function paramsOf(
  ref: unknown,
  kind: ServedKind,
  { reader, namespace }: { readonly reader: ClusterReader; readonly namespace: string },
): Promise<Params> {
  const { group, plural: resource, scope } = kind.resource;
  const said = textAt(ref, "namespace");
  const isNamespaced = scope === "Namespaced";
  if (isNamespaced && said === "" && namespace === "") {
    return { problem: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources" };
  }
  if (!isNamespaced && said !== "") {
    return { problem: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`" };
  }
  const where = isNamespaced ? (said === "" ? namespace : said) : "";
  const name = textAt(ref, "name");
  if (name === "" && !isSet(ref, "selector")) return { problem: "one of name or selector must be provided" };
  const selector = selectorOf(valueAt(ref, "selector"));
  const stored =
    name === ""
      ? reader.list({ group, resource, namespace: where }).filter((object) => selector.matches(labelsOf(object)))
      : [reader.get({ group, resource, namespace: where, name })].filter((object) => object !== undefined);
  if (stored.length === 0 && textAt(ref, "parameterNotFoundAction") === "Deny") {
    return { problem: "no params found for policy binding with `Deny` parameterNotFoundAction" };
  }
  const list: JsonRecord[] = [];
  for (const object of stored) list.push(await kind.fromStored(object));
  return { list };
}

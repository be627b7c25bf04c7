import { type JsonRecord, parseTime } from "@homeostat/core";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import type { TokenObject, TokenObjects } from "../auth/service-account-tokens.ts";
import { textAt } from "../values/fields.ts";

/** Returns a reader of the objects that service account tokens are bound to. */
export function tokenObjects(reader: ClusterReader): TokenObjects {
  const find = (
    resource: string,
    namespace: string,
    name: string,
  ): (TokenObject & { object: JsonRecord }) | undefined => {
    const object = reader.get({ group: "", resource, namespace, name });
    if (object === undefined) return undefined;
    const deleted = textAt(object, "metadata", "deletionTimestamp");
    const deletedAtMs = deleted === "" ? undefined : parseTime(deleted);
    return { uid: textAt(object, "metadata", "uid"), deletedAtMs, object };
  };
  return {
    serviceAccount: (namespace, name) => find("serviceaccounts", namespace, name),
    secret: (namespace, name) => find("secrets", namespace, name),
    node: (name) => find("nodes", "", name),
    pod: (namespace, name) => {
      const found = find("pods", namespace, name);
      if (found === undefined) return undefined;
      const { object, ...rest } = found;
      return {
        ...rest,
        serviceAccountName: textAt(object, "spec", "serviceAccountName"),
        nodeName: textAt(object, "spec", "nodeName"),
      };
    },
  };
}

import type { JsonRecord } from "@homeostat/core";
import { listAt, numberAt, textAt, valueAt } from "../values/fields.ts";

/** A version of an API group that a remote server serves: an APIService with `spec.service`. */
export interface RemoteVersion {
  /** Name of the APIService: `v1beta1.metrics.k8s.io`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** Base64 of the PEM certificates of the CAs that may have signed the server's certificate. */
  readonly caBundle: string;
  readonly skipsVerification: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly isAvailable: boolean;
}

/** Parses an APIService; undefined for versions of this server, which have no `spec.service`. */
export function remoteVersionOf(object: JsonRecord): RemoteVersion | undefined {
  const spec = valueAt(object, "spec");
  if (typeof valueAt(spec, "service") !== "object" || valueAt(spec, "service") === null) return undefined;
  const available = listAt(object, "status", "conditions").find((each) => textAt(each, "type") === "Available");
  return {
    name: textAt(object, "metadata", "name"),
    group: textAt(spec, "group"),
    version: textAt(spec, "version"),
    service: {
      namespace: textAt(spec, "service", "namespace"),
      name: textAt(spec, "service", "name"),
      port: numberAt(spec, "service", "port") || 443,
    },
    caBundle: textAt(spec, "caBundle"),
    skipsVerification: valueAt(spec, "insecureSkipTLSVerify") === true,
    groupPriority: numberAt(spec, "groupPriorityMinimum"),
    versionPriority: numberAt(spec, "versionPriority"),
    isAvailable: textAt(available, "status") === "True",
  };
}

/** Returns the discovery path of a version. */
export function pathOf({ group, version }: Pick<RemoteVersion, "group" | "version">): string {
  return `/apis/${group}/${version}`;
}

// The objects of manifest files.

import { manifestDocuments } from "@homeostat/client/manifests";
import { isRecord, type KubeObject, ownValue, UsageError } from "@homeostat/core";

/** An object of a file, with a name. */
export interface Manifest extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Kinds without a namespace that a file may contain. */
const clusterKinds: ReadonlySet<string> = new Set(["Namespace", "ClusterRole", "ClusterRoleBinding"]);

/**
 * Parses the YAML or JSON documents of a file. Objects without a namespace get the default. `resolve` replaces variables of the parsed values.
 * Throws a {@link UsageError}.
 */
export function parseManifests(
  text: string,
  source: string,
  namespace: string,
  resolve: (value: unknown) => unknown = (value) => value,
): Manifest[] {
  const problems: string[] = [];
  const objects = manifestDocuments(text, source).flatMap((document, index) => {
    if (document === null || document === undefined) return [];
    return itemsOf(resolve(document)).flatMap((item): Manifest[] => {
      const found = readObject(item, namespace);
      if (typeof found !== "string") return [found];
      problems.push(`document ${index + 1}: ${found}`);
      return [];
    });
  });
  if (problems.length > 0) throw new UsageError(`${source}: ${problems.join("; ")}.`);
  return objects;
}

/** Returns the items of a List, as `kubectl get -o yaml` prints it, or the document itself. */
function itemsOf(document: unknown): readonly unknown[] {
  const items = isRecord(document) && ownValue(document, "kind") === "List" ? ownValue(document, "items") : undefined;
  return Array.isArray(items) ? items : [document];
}

/** Returns an object with its namespace, or what is wrong with it. */
function readObject(value: unknown, defaultNamespace: string): Manifest | string {
  if (!isRecord(value)) return "not an object";
  const apiVersion = ownValue(value, "apiVersion");
  const kind = ownValue(value, "kind");
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    return "not a Kubernetes object: apiVersion and kind are required";
  const given = ownValue(value, "metadata");
  const metadata = isRecord(given) ? given : {};
  const name = ownValue(metadata, "name");
  const namespace = ownValue(metadata, "namespace") ?? defaultNamespace;
  if (typeof name !== "string" || name === "") return `${kind} has no metadata.name`;
  if (typeof namespace !== "string") return `${kind} ${name}: metadata.namespace must be a string`;
  const place = clusterKinds.has(kind) ? {} : { namespace };
  return { ...value, apiVersion, kind, metadata: { ...metadata, name, ...place } };
}

// The manifests of a rehearsal: one primary object per file, and the objects that it refers to.

import { manifestDocuments } from "@homeostat/client/manifests";
import { formatApiVersion, isRecord, type KubeObject, ownValue, type ResourceType, UsageError } from "@homeostat/core";

/** The objects of one file. */
export interface Manifests {
  /** Name of the file in messages. */
  readonly source: string;
  readonly primary: Manifest;
  /** Objects that the primary object refers to. */
  readonly others: readonly Manifest[];
}

/** An object of a file. Its name is set, and its namespace if it has one. */
export interface Manifest extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeObject["metadata"] & { readonly name: string };
  readonly [field: string]: unknown;
}

/** Kinds that primary objects refer to, by API version; true if they have a namespace. */
const otherKinds: Readonly<Record<string, boolean>> = {
  "v1 Secret": true,
  "v1 ConfigMap": true,
  "v1 Namespace": false,
  "storage.k8s.io/v1 StorageClass": false,
  "scheduling.k8s.io/v1 PriorityClass": false,
};

/** Parses a file. Throws a {@link UsageError} that lists all problems. */
export function parseManifests(text: string, source: string, type: ResourceType): Manifests {
  const problems: string[] = [];
  const objects = manifestDocuments(text, source).flatMap((document, index) => {
    const place = `document ${index + 1}`;
    if (document === null || document === undefined) return [];
    const found = readObject(document);
    if (typeof found === "string") problems.push(`${place}: ${found}`);
    return typeof found === "string" ? [] : [{ place, object: found }];
  });
  const primaryKind = `${formatApiVersion(type)} ${type.kind}`;
  const primaries: Manifest[] = [];
  const others: Manifest[] = [];
  for (const { place, object } of objects) {
    const kind = `${object.apiVersion} ${object.kind}`;
    if (kind === primaryKind) primaries.push(object);
    else if (Object.hasOwn(otherKinds, kind)) others.push(object);
    else
      problems.push(
        `${place}: ${kind} cannot be rehearsed; use ${[primaryKind, ...Object.keys(otherKinds)].join(", ")}`,
      );
  }
  const names = primaries.map(({ metadata }) => metadata.name).join(", ");
  if (primaries.length === 0 && problems.length === 0) problems.push(`no ${type.kind} found`);
  if (primaries.length > 1) problems.push(`${primaries.length} ${type.kind}s found (${names}); rehearse one at a time`);
  const [primary] = primaries;
  if (primary === undefined || problems.length > 0) throw new UsageError(`${source}: ${problems.join("; ")}.`);
  const namespace = primary.metadata.namespace ?? "default";
  return { source, primary: inNamespace(primary, namespace), others: others.map((one) => placed(one, namespace)) };
}

/** Checks that two files are about the same object. Throws a {@link UsageError}. */
export function checkSameObject(old: Manifests, next: Manifests): void {
  const problems = (["name", "namespace"] as const).flatMap((field) => {
    const [before, after] = [old.primary.metadata[field], next.primary.metadata[field]];
    return before === after
      ? []
      : [`metadata.${field} is ${String(before)} in ${old.source} and ${String(after)} in ${next.source}`];
  });
  if (problems.length > 0)
    throw new UsageError(`${problems.join("; ")}. Both files must describe the same ${next.primary.kind}.`);
}

/** Annotations that `kubectl` and operators write into live objects. */
const writtenAnnotation = /^(?:kubectl\.kubernetes\.io\/last-applied-configuration$|homeostat\.dev\/)/;

/** Returns the desired fields of an object, or what is wrong with it. A live object may be given, as `kubectl get -o yaml` prints it. */
function readObject(value: unknown): Manifest | string {
  if (!isRecord(value)) return "not an object";
  const { status: _status, ...fields } = value;
  const apiVersion = ownValue(fields, "apiVersion");
  const kind = ownValue(fields, "kind");
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    return "not a Kubernetes object: apiVersion and kind are required";
  const given = ownValue(fields, "metadata");
  const metadata = isRecord(given) ? given : {};
  const name = ownValue(metadata, "name");
  const namespace = ownValue(metadata, "namespace");
  if (typeof name !== "string" || name === "") return `${kind} has no metadata.name`;
  if (namespace !== undefined && typeof namespace !== "string")
    return `${kind} ${name}: metadata.namespace must be a string`;
  const labels = textsOf(ownValue(metadata, "labels"));
  const annotations = textsOf(ownValue(metadata, "annotations"));
  if (labels === undefined || annotations === undefined)
    return `${kind} ${name}: metadata.labels and metadata.annotations must be maps of strings`;
  const own = Object.entries(annotations).filter(([key]) => !writtenAnnotation.test(key));
  return {
    ...fields,
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    },
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) return undefined;
  const texts = Object.entries(value).flatMap(([key, text]): [string, string][] =>
    typeof text === "string" ? [[key, text]] : [],
  );
  return texts.length === Object.keys(value).length ? Object.fromEntries(texts) : undefined;
}

function placed(object: Manifest, namespace: string): Manifest {
  const isNamespaced = otherKinds[`${object.apiVersion} ${object.kind}`] === true;
  return isNamespaced ? inNamespace(object, object.metadata.namespace ?? namespace) : object;
}

function inNamespace(object: Manifest, namespace: string): Manifest {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

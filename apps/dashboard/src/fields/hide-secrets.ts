import { type DeepReadonly, isRecord, type KubeObject, ownValue, type ResourceType } from "@homeostat/core";
import { metadataOnly } from "@homeostat/client";

/** Annotation in which `kubectl apply` stores the whole object, with the data of a Secret. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Fields of a Secret that hold its data. `managedFields` lists their keys. */
const secretFields = ["data", "stringData"];

/** Reports whether a kind holds secrets. */
export function isSecretKind({ group, kind }: Pick<ResourceType, "group" | "kind">): boolean {
  return group === "" && kind === "Secret";
}

/**
 * Returns the kind to request for objects of a kind. The API server sends only the metadata of Secrets, so their data never reaches this
 * process.
 */
export function readableType(type: ResourceType): ResourceType {
  return isSecretKind(type) ? metadataOnly(type) : type;
}

/**
 * Returns an object without secrets: without the annotation that may repeat them, and for a Secret without data and without the names of its
 * keys. Does not change its argument.
 */
export function hideSecrets(
  object: DeepReadonly<KubeObject>,
  type: Pick<ResourceType, "group" | "kind">,
): DeepReadonly<KubeObject> {
  const { annotations, managedFields, ...metadata } = object.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([name]) => name !== lastApplied);
  const isSecret = isSecretKind(type);
  const entries = managedFields?.map((entry) =>
    isSecret && entry.fieldsV1 !== undefined ? { ...entry, fieldsV1: withoutSecretFields(entry.fieldsV1) } : entry,
  );
  const fields = Object.entries(object).filter(([name]) => !isSecret || !secretFields.includes(name));
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...Object.fromEntries(fields),
    metadata: {
      ...metadata,
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
      ...(entries === undefined ? {} : { managedFields: entries }),
    },
  };
}

function withoutSecretFields(fieldsV1: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = secretFields.map((name) => `f:${name}`);
  return Object.fromEntries(
    Object.entries(fieldsV1)
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => [name, name === "f:metadata" ? withoutLastApplied(value) : value]),
  );
}

/** Drops nothing but the entry of the removed annotation. */
function withoutLastApplied(metadata: unknown): unknown {
  const annotations = isRecord(metadata) ? ownValue(metadata, "f:annotations") : undefined;
  if (!isRecord(metadata) || !isRecord(annotations)) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => name !== `f:${lastApplied}`);
  return { ...metadata, "f:annotations": Object.fromEntries(kept) };
}

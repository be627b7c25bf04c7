import { isEqual, type ObjectMeta, type OwnerReference } from "@homeostat/core";

const duplicateWarning = (when: string): string =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: `;

/**
 * Returns the metadata without duplicate owner references, and warns about the removed ones.
 *
 * Only equal references are duplicates: two that differ in any field are both kept.
 */
export function withoutDuplicateOwners(
  metadata: ObjectMeta,
  { warn, isAdmitted }: { readonly warn: (text: string) => void; readonly isAdmitted: boolean },
): ObjectMeta {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return metadata;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of ownerReferences) {
    if (kept.some((other) => isEqual(other, reference))) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return metadata;
  warn(`${duplicateWarning(isAdmitted ? " after mutating admission happens" : "")}${duplicates.join(", ")}`);
  return { ...metadata, ownerReferences: kept };
}

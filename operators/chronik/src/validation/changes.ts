// Rules for fields that cannot change after the objects of a cluster exist. The CRD rejects such changes; these rules protect the
// volumes of clusters whose CRD is older than the operator, or that were deleted and created again.

import { isEqual } from "@homeostat/core";
import { forbiddenField, type Problem, quantityIn } from "@homeostat/schema";
import { immutableProblem } from "../api/spec-common.ts";
import type { RuledCluster } from "./rule.ts";

/** Values of immutable fields, read from the objects of the cluster. A value is undefined if its object does not exist. */
export interface AppliedFields {
  /** Request of the claim template of the StatefulSets. */
  readonly size?: string | undefined;
  /** Claim template of the StatefulSets. */
  readonly claim?: { readonly storageClass: string | undefined; readonly accessModes: readonly string[] } | undefined;
  /** Storage backend and database, from the shared ConfigMap. */
  readonly backend?: string | undefined;
  readonly database?: string | undefined;
}

/** Returns the changes of immutable fields, and a smaller volume size. */
export function* changeProblems({ spec }: RuledCluster, applied: AppliedFields): Iterable<Problem> {
  const { storage, metastore } = spec;
  const before = quantityIn(applied.size);
  if (before !== undefined && quantityIn(storage.size)?.isLessThan(before) === true) {
    yield forbiddenField("spec.storage.size", `must not be smaller than ${before.canonical()}: volumes cannot shrink`);
  }
  if (applied.claim !== undefined) {
    if (storage.storageClass !== undefined && storage.storageClass !== applied.claim.storageClass) {
      yield forbiddenField("spec.storage.storageClass", immutableProblem);
    }
    if (!isEqual([...storage.accessModes].toSorted(), [...applied.claim.accessModes].toSorted())) {
      yield forbiddenField("spec.storage.accessModes", immutableProblem);
    }
  }
  if (applied.backend !== undefined && applied.backend !== storage.backend) {
    yield forbiddenField("spec.storage.backend", immutableProblem);
  }
  if (applied.database !== undefined && applied.database !== metastore.database) {
    yield forbiddenField("spec.metastore.database", immutableProblem);
  }
}

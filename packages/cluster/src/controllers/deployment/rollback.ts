import type { DeepReadonly } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { EventNote } from "@homeostat/runtime";
import {
  annotationsFrom,
  isSameTemplate,
  lastRevision,
  omit,
  revisionOf,
  rollbackAnnotation,
  withoutHash,
} from "./replica-sets.ts";
import type { StoredDeployment, StoredSet } from "./strategy.ts";

/** Writes of a rollback. */
export interface RollbackActions {
  event(this: void, event: EventNote): void;
  updateDeployment(this: void, deployment: DeepReadonly<Deployment>): Promise<Deployment>;
}

/** Options of {@link rollBack}. */
export interface RollbackOptions {
  /** The requested revision; 0 for the last one before the current one. */
  readonly requested: number;
  /** All ReplicaSets of the Deployment. */
  readonly sets: readonly StoredSet[];
  readonly actions: RollbackActions;
}

/**
 * Returns the revision requested by the rollback annotation: 0 for the last one, undefined when no rollback is
 * requested.
 */
export function rollbackTarget({ metadata }: StoredDeployment): number | undefined {
  const text = metadata.annotations?.[rollbackAnnotation] ?? "";
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Sets the template of a Deployment to that of an old revision, and removes the rollback annotation in any case. */
export async function rollBack(
  deployment: StoredDeployment,
  { requested, sets, actions }: RollbackOptions,
): Promise<void> {
  const { event, updateDeployment } = actions;
  const revision = requested === 0 ? lastRevision(sets) : requested;
  const set = sets.find((one) => revision !== 0 && revisionOf(one) === revision);
  const metadata = withoutRollback(deployment);
  const { name } = deployment.metadata;
  if (set === undefined) {
    const note = revision === 0 ? "Unable to find last revision." : "Unable to find the revision to rollback to.";
    event({ type: "Warning", reason: "DeploymentRollbackRevisionNotFound", note });
    await updateDeployment({ ...deployment, metadata });
    return;
  }
  if (isSameTemplate(set.spec?.template, deployment.spec?.template)) {
    const note = `The rollback revision contains the same template as current deployment "${name}"`;
    event({ type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", note });
    await updateDeployment({ ...deployment, metadata });
    return;
  }
  const annotations = omit(annotationsFrom(deployment, set), (key) => key === rollbackAnnotation);
  const template = withoutHash(set.spec?.template);
  await updateDeployment({
    ...deployment,
    metadata: { ...metadata, annotations },
    spec: { ...deployment.spec, template },
  });
  event({ reason: "DeploymentRollback", note: `Rolled back deployment "${name}" to revision ${revision}` });
}

function withoutRollback({ metadata }: StoredDeployment): StoredDeployment["metadata"] {
  return { ...metadata, annotations: omit(metadata.annotations ?? {}, (key) => key === rollbackAnnotation) };
}

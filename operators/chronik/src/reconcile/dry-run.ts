// Validation by the API server. Parts of the spec are passed through to pods and autoscalers, such as affinity, and only the API server knows their
// rules. A dry run finds a mistake before anything of a new spec is applied, so that no cluster is left half-changed.

import { AlreadyExistsError, BadRequestError, InvalidError } from "@homeostat/core";
import { TerminalError } from "homeostat";
import { fieldManager } from "../api/identity.ts";
import type { DesiredObject } from "../build/desired-objects.ts";
import type { ClusterContext } from "./cluster-context.ts";

/** Kinds with parts that are passed through. */
const kinds: ReadonlySet<string> = new Set(["StatefulSet", "Deployment", "HorizontalPodAutoscaler"]);

/** Throws `ValidationFailed` if the API server rejects an object. Once per generation: a spec that was accepted stays valid. */
export async function dryRun(context: ClusterContext, build: () => readonly DesiredObject[]): Promise<void> {
  const { status, generation } = context;
  const isKnown = status.observedGeneration === generation && context.condition("SpecValid")?.status === "True";
  if (isKnown) return;
  const problems = new Set<string>();
  for (const one of build()) {
    if (!kinds.has(one.type.kind)) continue;
    try {
      await send(context, one);
    } catch (error) {
      if (!(error instanceof InvalidError || error instanceof BadRequestError)) throw error;
      problems.add(`${one.type.kind}: ${error.serverMessage}`);
    }
  }
  if (problems.size > 0) throw new TerminalError({ reason: "ValidationFailed", message: [...problems].join("; ") });
}

/** Sends an object as it is applied later, without effect. */
async function send({ runtime, namespace }: ClusterContext, { type, object }: DesiredObject): Promise<void> {
  const { client, owned, signal } = runtime;
  const { name } = object.metadata;
  const { group, version, kind } = type;
  const apiVersion = `${group}/${version}`;
  const body = { apiVersion, kind, ...object, metadata: { ...object.metadata, namespace } };
  const options = { fieldManager, signal, dryRun: true };
  const isLive = [owned.statefulSets, owned.deployments, owned.autoscalers].some(
    (informer) => informer.get(name)?.kind === kind,
  );
  if (isLive) {
    await client.apply(type, body, { ...options, force: true });
    return;
  }
  try {
    await client.create(type, body, options);
  } catch (error) {
    // An object of another owner is reported when it is written.
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}

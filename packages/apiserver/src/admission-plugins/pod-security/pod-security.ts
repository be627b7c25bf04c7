import { quote } from "@homeostat/cel";
import { comparePodSecurityLevels, isEqual, type JsonRecord } from "@homeostat/core";
import { strategyOf } from "../../kinds/strategies.ts";
import { forbiddenStatus, internalErrorStatus, invalidStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import { isSet, listAt, textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../../admission/admission.ts";
import type { ClusterReader } from "../../admission/cluster-reader.ts";
import { resourceOf } from "../../admission/forbid.ts";
import type { PodLike } from "./check.ts";
import { detailedText, violationsOf } from "./evaluate.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { isPrivileged, isSameStandard, policyOf, type SecurityPolicy, standardText } from "./levels.ts";

/** Subresources that cannot change what a pod is allowed to do. */
const uncheckedSubresources = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

/**
 * Returns the step that enforces the Pod Security Standard of the namespace: it refuses pods, and warns about pods and
 * pod templates.
 */
export function podSecurity(reader: ClusterReader): AdmissionStep {
  return {
    name: "PodSecurity",
    validate: (request) => {
      const { operation } = request;
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      const resource = resourceOf(request);
      const template = strategyOf(request.kind.resource).podTemplatePath;
      if (resource === "pods") checkPod(request, reader);
      else if (resource === "namespaces" && request.subresource === "") checkNamespace(request, reader);
      else if (template !== undefined && request.subresource === "") warnAboutTemplate(request, template, reader);
    },
  };
}

function namespaceOf({ namespace }: AdmissionRequest, reader: ClusterReader): JsonRecord | undefined {
  return reader.get({ group: "", resource: "namespaces", namespace: "", name: namespace });
}

function checkPod(request: AdmissionRequest, reader: ClusterReader): void {
  const { object, oldObject, operation, subresource } = request;
  if (uncheckedSubresources.has(subresource)) return;
  const namespace = namespaceOf(request, reader);
  if (namespace === undefined) {
    throw new StatusError(internalErrorStatus(`failed to lookup namespace ${quote(request.namespace)}`));
  }
  const { policy, problems } = policyOf(namespace);
  if (problems.length === 0 && isPrivileged(policy)) return;
  if (operation === "UPDATE" && !imagesChanged(object, oldObject)) return;
  const pod = { metadata: valueAt(object, "metadata"), spec: valueAt(object, "spec") };
  const violations = violationsOf(pod, policy.enforce);
  if (violations.length > 0) {
    const { group, plural: resource } = request.kind.resource;
    const why = `violates PodSecurity ${quote(standardText(policy.enforce))}: ${detailedText(violations)}`;
    throw new StatusError(forbiddenStatus({ group, resource }, request.name, why));
  }
  warn(request, policy, pod);
}

function warnAboutTemplate(request: AdmissionRequest, path: readonly string[], reader: ClusterReader): void {
  const template = valueAt(request.object, ...path);
  const namespace = namespaceOf(request, reader);
  if (namespace === undefined || template === undefined || template === null) return;
  const pod = { metadata: valueAt(template, "metadata"), spec: valueAt(template, "spec") };
  warn(request, policyOf(namespace).policy, pod);
}

function warn(request: AdmissionRequest, { warn: standard }: SecurityPolicy, pod: PodLike): void {
  const violations = violationsOf(pod, standard);
  if (violations.length === 0) return;
  request.warn(`would violate PodSecurity ${quote(standardText(standard))}: ${detailedText(violations)}`);
}

/** Reports whether the images of a pod changed. No other field that can be updated is relevant to the checks. */
function imagesChanged(pod: unknown, old: unknown): boolean {
  const images = (object: unknown, field: string): string[] =>
    listAt(object, "spec", field).map((container) => textAt(container, "image"));
  const differs = (field: string): boolean => !isEqual(images(pod, field), images(old, field));
  if (differs("containers") || differs("initContainers")) return true;
  const before = new Map(
    listAt(old, "spec", "ephemeralContainers").map((container) => [
      textAt(container, "name"),
      textAt(container, "image"),
    ]),
  );
  return listAt(pod, "spec", "ephemeralContainers").some(
    (container) => before.get(textAt(container, "name")) !== textAt(container, "image"),
  );
}

function checkNamespace(request: AdmissionRequest, reader: ClusterReader): void {
  const { object, oldObject, operation } = request;
  const { policy, problems } = policyOf(object);
  const before = operation === "UPDATE" ? policyOf(oldObject) : undefined;
  const isNewProblem = before === undefined || before.problems.length === 0 || !isEqual(before.problems, problems);
  if (problems.length > 0 && isNewProblem) {
    throw new StatusError(invalidStatus({ group: "", kind: "Namespace" }, request.name, problems));
  }
  if (before === undefined) return;
  const { enforce } = policy;
  const old = before.policy.enforce;
  if (isSameStandard(enforce, old) || enforce.level === "privileged") return;
  if (enforce.minor === old.minor && comparePodSecurityLevels(enforce.level, old.level) < 1) return;
  const name = textAt(object, "metadata", "name");
  const pods = reader.list({ group: "", resource: "pods", namespace: name }).filter((pod) => isSet(pod, "spec"));
  for (const text of existingPodWarnings(pods, { namespace: name, standard: enforce })) request.warn(text);
}

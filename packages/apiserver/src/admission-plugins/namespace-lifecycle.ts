import { textAt } from "../values/fields.ts";
import { forbiddenStatus, notFoundStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { forbid, resourceOf } from "../admission/forbid.ts";

const undeletable = new Set(["default", "kube-public", "kube-system"]);

/**
 * Returns the step that refuses objects in namespaces that do not exist or are terminating, and the deletion of the
 * standard namespaces. It is a mutating step, as on the real server, so that it runs before any other step does work.
 */
export function namespaceLifecycle(reader: ClusterReader): AdmissionStep {
  return {
    name: "NamespaceLifecycle",
    mutate: (request) => {
      check(request, reader);
      return undefined;
    },
  };
}

function check(request: AdmissionRequest, reader: ClusterReader): void {
  const { operation, name, namespace } = request;
  const resource = resourceOf(request);
  const isNamespace = resource === "namespaces";
  if (operation === "DELETE") {
    if (!isNamespace || !undeletable.has(name)) return;
    throw new StatusError(forbiddenStatus({ group: "", resource }, name, "this namespace may not be deleted"));
  }
  if (operation === "CONNECT" || isNamespace || namespace === "") return;
  // Users without access to a namespace must not learn from an access review whether it exists.
  if (resource === "localsubjectaccessreviews.authorization.k8s.io") return;
  const found = reader.get({ group: "", resource: "namespaces", namespace: "", name: namespace });
  if (found === undefined) throw new StatusError(notFoundStatus({ group: "", resource: "namespaces" }, namespace));
  if (operation === "CREATE" && textAt(found, "status", "phase") === "Terminating") throw terminating(request);
}

function terminating(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const { status } = forbid(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}

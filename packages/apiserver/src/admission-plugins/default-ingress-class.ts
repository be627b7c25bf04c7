import { isSet } from "../values/fields.ts";
import type { AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { newestDefault } from "./default-class.ts";
import { isAbout } from "../admission/forbid.ts";
import { withSpec } from "./node-steps.ts";

const classes = { group: "networking.k8s.io", resource: "ingressclasses", namespace: "" };

/** Returns the step that sets the default class on an Ingress without one. */
export function defaultIngressClass(reader: ClusterReader): AdmissionStep {
  return {
    name: "DefaultIngressClass",
    mutate: (request) => {
      const { object: ingress, operation } = request;
      if (ingress === undefined || operation !== "CREATE" || !isAbout(request, "ingresses.networking.k8s.io")) {
        return undefined;
      }
      const hasClass =
        isSet(ingress, "spec", "ingressClassName") ||
        isSet(ingress, "metadata", "annotations", "kubernetes.io/ingress.class");
      const name = hasClass
        ? undefined
        : newestDefault(reader.list(classes), ["ingressclass.kubernetes.io/is-default-class"]);
      return name === undefined ? undefined : withSpec(ingress, { ingressClassName: name });
    },
  };
}

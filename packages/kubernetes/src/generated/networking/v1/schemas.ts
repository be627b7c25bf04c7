// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as networkingV1 from "../../networking/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as coreV1Schemas from "../../core/v1/schemas.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };
const int32: EmbeddedSchema = { type: "integer", format: "int32" };
const strings: EmbeddedSchema = { type: "array", items: string, "x-kubernetes-list-type": "atomic" };

/** The schema of a `ParentReference`. */
export const parentReference: EmbeddedType<networkingV1.ParentReference> = {
  name: "io.k8s.api.networking.v1.ParentReference",
  schema: {
    type: "object",
    properties: {
      group: string,
      name: string,
      namespace: string,
      resource: string,
    },
    required: ["name", "resource"],
  },
};

/** The schema of an `IPAddressSpec`. */
export const ipAddressSpec: EmbeddedType<networkingV1.IPAddressSpec> = {
  name: "io.k8s.api.networking.v1.IPAddressSpec",
  schema: {
    type: "object",
    properties: {
      parentRef: parentReference.schema,
    },
    required: ["parentRef"],
  },
};

/** The schema of an `IngressClassParametersReference`. */
export const ingressClassParametersReference: EmbeddedType<networkingV1.IngressClassParametersReference> = {
  name: "io.k8s.api.networking.v1.IngressClassParametersReference",
  schema: {
    type: "object",
    properties: {
      apiGroup: string,
      kind: string,
      name: string,
      namespace: string,
      scope: string,
    },
    required: ["kind", "name"],
  },
};

/** The schema of an `IngressClassSpec`. */
export const ingressClassSpec: EmbeddedType<networkingV1.IngressClassSpec> = {
  name: "io.k8s.api.networking.v1.IngressClassSpec",
  schema: {
    type: "object",
    properties: {
      controller: string,
      parameters: ingressClassParametersReference.schema,
    },
  },
};

/** The schema of a `ServiceBackendPort`. */
export const serviceBackendPort: EmbeddedType<networkingV1.ServiceBackendPort> = {
  name: "io.k8s.api.networking.v1.ServiceBackendPort",
  schema: {
    type: "object",
    properties: {
      name: string,
      number: int32,
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of an `IngressServiceBackend`. */
export const ingressServiceBackend: EmbeddedType<networkingV1.IngressServiceBackend> = {
  name: "io.k8s.api.networking.v1.IngressServiceBackend",
  schema: {
    type: "object",
    properties: {
      name: string,
      port: serviceBackendPort.schema,
    },
    required: ["name"],
  },
};

/** The schema of an `IngressBackend`. */
export const ingressBackend: EmbeddedType<networkingV1.IngressBackend> = {
  name: "io.k8s.api.networking.v1.IngressBackend",
  schema: {
    type: "object",
    properties: {
      resource: coreV1Schemas.typedLocalObjectReference.schema,
      service: ingressServiceBackend.schema,
    },
  },
};

/** The schema of a `HTTPIngressPath`. */
export const httpIngressPath: EmbeddedType<networkingV1.HTTPIngressPath> = {
  name: "io.k8s.api.networking.v1.HTTPIngressPath",
  schema: {
    type: "object",
    properties: {
      backend: ingressBackend.schema,
      path: string,
      pathType: string,
    },
    required: ["backend", "pathType"],
  },
};

/** The schema of a `HTTPIngressRuleValue`. */
export const httpIngressRuleValue: EmbeddedType<networkingV1.HTTPIngressRuleValue> = {
  name: "io.k8s.api.networking.v1.HTTPIngressRuleValue",
  schema: {
    type: "object",
    properties: {
      paths: { type: "array", items: httpIngressPath.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["paths"],
  },
};

/** The schema of an `IngressRule`. */
export const ingressRule: EmbeddedType<networkingV1.IngressRule> = {
  name: "io.k8s.api.networking.v1.IngressRule",
  schema: {
    type: "object",
    properties: {
      host: string,
      http: httpIngressRuleValue.schema,
    },
  },
};

/** The schema of an `IngressTLS`. */
export const ingressTLS: EmbeddedType<networkingV1.IngressTLS> = {
  name: "io.k8s.api.networking.v1.IngressTLS",
  schema: {
    type: "object",
    properties: {
      hosts: strings,
      secretName: string,
    },
  },
};

/** The schema of an `IngressSpec`. */
export const ingressSpec: EmbeddedType<networkingV1.IngressSpec> = {
  name: "io.k8s.api.networking.v1.IngressSpec",
  schema: {
    type: "object",
    properties: {
      defaultBackend: ingressBackend.schema,
      ingressClassName: string,
      rules: { type: "array", items: ingressRule.schema, "x-kubernetes-list-type": "atomic" },
      tls: { type: "array", items: ingressTLS.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `NetworkPolicyPort`. */
export const networkPolicyPort: EmbeddedType<networkingV1.NetworkPolicyPort> = {
  name: "io.k8s.api.networking.v1.NetworkPolicyPort",
  schema: {
    type: "object",
    properties: {
      endPort: int32,
      port: metaV1Schemas.intOrString.schema,
      protocol: string,
    },
  },
};

/** The schema of an `IPBlock`. */
export const ipBlock: EmbeddedType<networkingV1.IPBlock> = {
  name: "io.k8s.api.networking.v1.IPBlock",
  schema: {
    type: "object",
    properties: {
      cidr: string,
      except: strings,
    },
    required: ["cidr"],
  },
};

/** The schema of a `NetworkPolicyPeer`. */
export const networkPolicyPeer: EmbeddedType<networkingV1.NetworkPolicyPeer> = {
  name: "io.k8s.api.networking.v1.NetworkPolicyPeer",
  schema: {
    type: "object",
    properties: {
      ipBlock: ipBlock.schema,
      namespaceSelector: metaV1Schemas.labelSelector.schema,
      podSelector: metaV1Schemas.labelSelector.schema,
    },
  },
};

/** The schema of a `NetworkPolicyEgressRule`. */
export const networkPolicyEgressRule: EmbeddedType<networkingV1.NetworkPolicyEgressRule> = {
  name: "io.k8s.api.networking.v1.NetworkPolicyEgressRule",
  schema: {
    type: "object",
    properties: {
      ports: { type: "array", items: networkPolicyPort.schema, "x-kubernetes-list-type": "atomic" },
      to: { type: "array", items: networkPolicyPeer.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `NetworkPolicyIngressRule`. */
export const networkPolicyIngressRule: EmbeddedType<networkingV1.NetworkPolicyIngressRule> = {
  name: "io.k8s.api.networking.v1.NetworkPolicyIngressRule",
  schema: {
    type: "object",
    properties: {
      from: { type: "array", items: networkPolicyPeer.schema, "x-kubernetes-list-type": "atomic" },
      ports: { type: "array", items: networkPolicyPort.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `NetworkPolicySpec`. */
export const networkPolicySpec: EmbeddedType<networkingV1.NetworkPolicySpec> = {
  name: "io.k8s.api.networking.v1.NetworkPolicySpec",
  schema: {
    type: "object",
    properties: {
      egress: { type: "array", items: networkPolicyEgressRule.schema, "x-kubernetes-list-type": "atomic" },
      ingress: { type: "array", items: networkPolicyIngressRule.schema, "x-kubernetes-list-type": "atomic" },
      podSelector: metaV1Schemas.labelSelector.schema,
      policyTypes: strings,
    },
  },
};

/** The schema of a `ServiceCIDRSpec`. */
export const serviceCIDRSpec: EmbeddedType<networkingV1.ServiceCIDRSpec> = {
  name: "io.k8s.api.networking.v1.ServiceCIDRSpec",
  schema: {
    type: "object",
    properties: {
      cidrs: strings,
    },
  },
};

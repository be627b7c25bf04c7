// Made from what Kubernetes v1.36.3 says of itself by tools/apiserver-data. Do not edit: run that tool.
// Derived from the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

/** One definition a line: its name and, after a space, its schema as JSON. */
export const nodeDefinitions: string = String.raw`io.k8s.api.node.v1.Overhead {"type":"object","properties":{"podFixed":{"type":"object","additionalProperties":{"$ref":"io.k8s.apimachinery.pkg.api.resource.Quantity"}}}}
io.k8s.api.node.v1.RuntimeClass {"type":"object","required":["handler"],"x-kubernetes-group-version-kind":[{"group":"node.k8s.io","kind":"RuntimeClass","version":"v1"}],"properties":{"apiVersion":{"type":"string"},"handler":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"overhead":{"$ref":"io.k8s.api.node.v1.Overhead"},"scheduling":{"$ref":"io.k8s.api.node.v1.Scheduling"}}}
io.k8s.api.node.v1.RuntimeClassList {"type":"object","required":["items"],"x-kubernetes-group-version-kind":[{"group":"node.k8s.io","kind":"RuntimeClassList","version":"v1"}],"properties":{"apiVersion":{"type":"string"},"items":{"type":"array","items":{"$ref":"io.k8s.api.node.v1.RuntimeClass"}},"kind":{"type":"string"},"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}}}
io.k8s.api.node.v1.Scheduling {"type":"object","properties":{"nodeSelector":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},"tolerations":{"type":"array","x-kubernetes-list-type":"atomic","items":{"$ref":"io.k8s.api.core.v1.Toleration"}}}}`;

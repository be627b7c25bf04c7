// Made from what Kubernetes v1.36.3 says of itself by tools/apiserver-data. Do not edit: run that tool.
// Derived from the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

/** One definition a line: its name and, after a space, its schema as JSON. */
export const schedulingDefinitions: string = String.raw`io.k8s.api.scheduling.v1.PriorityClass {"type":"object","x-kubernetes-group-version-kind":[{"group":"scheduling.k8s.io","kind":"PriorityClass","version":"v1"}],"properties":{"apiVersion":{"type":"string"},"description":{"type":"string"},"globalDefault":{"type":"boolean"},"kind":{"type":"string"},"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"preemptionPolicy":{"type":"string","enum":["Never","PreemptLowerPriority"]},"value":{"type":"integer","format":"int32"}}}
io.k8s.api.scheduling.v1.PriorityClassList {"type":"object","required":["items"],"x-kubernetes-group-version-kind":[{"group":"scheduling.k8s.io","kind":"PriorityClassList","version":"v1"}],"properties":{"apiVersion":{"type":"string"},"items":{"type":"array","items":{"$ref":"io.k8s.api.scheduling.v1.PriorityClass"}},"kind":{"type":"string"},"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}}}`;

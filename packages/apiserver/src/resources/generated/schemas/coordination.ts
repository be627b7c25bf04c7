// Made from what Kubernetes v1.36.3 says of itself by tools/apiserver-data. Do not edit: run that tool.
// Derived from the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

/** One definition a line: its name and, after a space, its schema as JSON. */
export const coordinationDefinitions: string = String.raw`io.k8s.api.coordination.v1.Lease {"type":"object","x-kubernetes-group-version-kind":[{"group":"coordination.k8s.io","kind":"Lease","version":"v1"}],"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"spec":{"$ref":"io.k8s.api.coordination.v1.LeaseSpec"}}}
io.k8s.api.coordination.v1.LeaseList {"type":"object","required":["items"],"x-kubernetes-group-version-kind":[{"group":"coordination.k8s.io","kind":"LeaseList","version":"v1"}],"properties":{"apiVersion":{"type":"string"},"items":{"type":"array","items":{"$ref":"io.k8s.api.coordination.v1.Lease"}},"kind":{"type":"string"},"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}}}
io.k8s.api.coordination.v1.LeaseSpec {"type":"object","properties":{"acquireTime":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"},"holderIdentity":{"type":"string"},"leaseDurationSeconds":{"type":"integer","format":"int32"},"leaseTransitions":{"type":"integer","format":"int32"},"preferredHolder":{"type":"string"},"renewTime":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"},"strategy":{"type":"string"}}}`;

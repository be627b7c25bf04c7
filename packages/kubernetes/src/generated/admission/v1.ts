// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as authenticationV1 from "../authentication/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { Nested } from "../../nested.ts";

/** AdmissionRequest describes the admission.Attributes for the admission request. */
export interface AdmissionRequest {
  /** dryRun indicates that modifications will definitely not be persisted for this request. */
  dryRun?: boolean;
  /** kind is the fully-qualified type of object being submitted (for example, v1.Pod or autoscaling.v1.Scale) */
  kind: metaV1.GroupVersionKind;
  /**
   * name is the name of the object as presented in the request. On a CREATE operation, the client may omit name and
   * rely on the server to generate the name.
   */
  name?: string;
  /** namespace is the namespace associated with the request (if any). */
  namespace?: string;
  /** object is the object from the incoming request. */
  object?: metaV1.RawExtension;
  /** oldObject is the existing object. Only populated for DELETE and UPDATE requests. */
  oldObject?: metaV1.RawExtension;
  /**
   * operation is the operation being performed. This may be different than the operation requested. e.g. a patch can
   * result in either a CREATE or UPDATE Operation.
   */
  operation: Operation;
  /**
   * options is the operation option structure of the operation being performed. e.g. `meta.k8s.io/v1.DeleteOptions` or
   * `meta.k8s.io/v1.CreateOptions`.
   */
  options?: metaV1.RawExtension;
  /**
   * requestKind is the fully-qualified type of the original API request (for example, v1.Pod or autoscaling.v1.Scale).
   */
  requestKind?: metaV1.GroupVersionKind;
  /** requestResource is the fully-qualified resource of the original API request (for example, v1.pods). */
  requestResource?: metaV1.GroupVersionResource;
  /**
   * requestSubResource is the name of the subresource of the original API request, if any (for example, "status" or
   * "scale") If this is specified and differs from the value in "subResource", an equivalent match and conversion was
   * performed.
   */
  requestSubResource?: string;
  /** resource is the fully-qualified resource being requested (for example, v1.pods) */
  resource: metaV1.GroupVersionResource;
  /** subResource is the subresource being requested, if any (for example, "status" or "scale") */
  subResource?: string;
  /** uid is an identifier for the individual request/response. */
  uid: string;
  /** userInfo is information about the requesting user */
  userInfo: authenticationV1.UserInfo;
}

/** AdmissionResponse describes an admission response. */
export interface AdmissionResponse {
  /** allowed indicates whether or not the admission request was permitted. */
  allowed: boolean;
  /**
   * auditAnnotations is an unstructured key value map set by remote admission controller (e.g.
   * error=image-blacklisted).
   */
  auditAnnotations?: Record<string, string>;
  /** patch is the patch body. Currently we only support "JSONPatch" which implements RFC 6902. */
  patch?: string;
  /** patchType is the type of Patch. Currently we only allow "JSONPatch". */
  patchType?: PatchType;
  /** status is the result contains extra details into why an admission request was denied. */
  status?: Nested<metaV1.Status>;
  /**
   * uid is an identifier for the individual request/response. This must be copied over from the corresponding
   * AdmissionRequest.
   */
  uid: string;
  /** warnings is a list of warning messages to return to the requesting API client. */
  warnings?: string[];
}

/** AdmissionReview describes an admission review request/response. */
export interface AdmissionReview {
  apiVersion: "admission.k8s.io/v1";
  kind: "AdmissionReview";
  /** request describes the attributes for the admission request. */
  request?: AdmissionRequest;
  /** response describes the attributes for the admission response. */
  response?: AdmissionResponse;
}

/** The values of `Operation`. */
export type Operation = "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

/** The values of `PatchType`. */
export type PatchType = "JSONPatch";

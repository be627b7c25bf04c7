// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

/** BoundObjectReference is a reference to an object that a token is bound to. */
export interface BoundObjectReference {
  /** apiVersion is API version of the referent. */
  apiVersion?: string;
  /** kind of the referent. Valid kinds are 'Pod' and 'Secret'. */
  kind?: string;
  /** name of the referent. */
  name?: string;
  /** uid of the referent. */
  uid?: string;
}

/** SelfSubjectReview contains the user information that the kube-apiserver has about the user making this request. */
export interface SelfSubjectReview {
  apiVersion: "authentication.k8s.io/v1";
  kind: "SelfSubjectReview";
  metadata: metaV1.ObjectMeta;
  /** status is filled in by the server with the user attributes. */
  status?: SelfSubjectReviewStatus;
}

/** The resource `selfsubjectreviews` of `authentication.k8s.io/v1`. */
export const SelfSubjectReview: BuiltInResource<SelfSubjectReview, "Cluster"> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  singular: "selfsubjectreview",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/** SelfSubjectReviewStatus is filled by the kube-apiserver and sent back to a user. */
export interface SelfSubjectReviewStatus {
  /** userInfo is a set of attributes belonging to the user making this request. */
  userInfo?: UserInfo;
}

/** TokenRequest requests a token for a given service account. */
export interface TokenRequest {
  apiVersion: "authentication.k8s.io/v1";
  kind: "TokenRequest";
  metadata: metaV1.ObjectMeta;
  /** spec holds information about the request being evaluated */
  spec?: TokenRequestSpec;
  /** status is filled in by the server and indicates whether the token can be authenticated. */
  status?: TokenRequestStatus;
}

/** TokenRequestSpec contains client provided parameters of a token request. */
export interface TokenRequestSpec {
  /**
   * audiences are the intendend audiences of the token. A recipient of a token must identify themself with an
   * identifier in the list of audiences of the token, and otherwise should reject the token.
   */
  audiences?: string[];
  /** boundObjectRef is a reference to an object that the token will be bound to. */
  boundObjectRef?: BoundObjectReference;
  /** expirationSeconds is the requested duration of validity of the request. */
  expirationSeconds?: number;
}

/** TokenRequestStatus is the result of a token request. */
export interface TokenRequestStatus {
  /** expirationTimestamp is the time of expiration of the returned token. */
  expirationTimestamp?: metaV1.Time;
  /** token is the opaque bearer token. */
  token?: string;
}

/**
 * TokenReview attempts to authenticate a token to a known user. Note: TokenReview requests may be cached by the webhook
 * token authenticator plugin in the kube-apiserver.
 */
export interface TokenReview {
  apiVersion: "authentication.k8s.io/v1";
  kind: "TokenReview";
  metadata: metaV1.ObjectMeta;
  /** spec holds information about the request being evaluated */
  spec: TokenReviewSpec;
  /** status is filled in by the server and indicates whether the request can be authenticated. */
  status?: TokenReviewStatus;
}

/** The resource `tokenreviews` of `authentication.k8s.io/v1`. */
export const TokenReview: BuiltInResource<TokenReview, "Cluster"> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  singular: "tokenreview",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/** TokenReviewSpec is a description of the token authentication request. */
export interface TokenReviewSpec {
  /** audiences is a list of the identifiers that the resource server presented with the token identifies as. */
  audiences?: string[];
  /** token is the opaque bearer token. */
  token: string;
}

/** TokenReviewStatus is the result of the token authentication request. */
export interface TokenReviewStatus {
  /**
   * audiences are audience identifiers chosen by the authenticator that are compatible with both the TokenReview and
   * token.
   */
  audiences?: string[];
  /** authenticated indicates that the token was associated with a known user. */
  authenticated?: boolean;
  /** error indicates that the token couldn't be checked */
  error?: string;
  /** user is the UserInfo associated with the provided token. */
  user?: UserInfo;
}

/** UserInfo holds the information about the user needed to implement the user.Info interface. */
export interface UserInfo {
  /** extra is any additional information provided by the authenticator. */
  extra?: Record<string, string[]>;
  /** groups is the names of groups this user is a part of. */
  groups?: string[];
  /**
   * uid is a unique value that identifies this user across time. If this user is deleted and another user by the same
   * name is added, they will have different UIDs.
   */
  uid?: string;
  /** username is the name that uniquely identifies this user among all active users. */
  username?: string;
}

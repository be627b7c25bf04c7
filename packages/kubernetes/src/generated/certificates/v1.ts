// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * CertificateSigningRequest objects provide a mechanism to obtain x509 certificates by submitting a certificate signing
 * request, and having it asynchronously approved and issued.
 */
export interface CertificateSigningRequest {
  apiVersion: "certificates.k8s.io/v1";
  kind: "CertificateSigningRequest";
  metadata: metaV1.ObjectMeta;
  /** spec contains the certificate request, and is immutable after creation. */
  spec: CertificateSigningRequestSpec;
  /**
   * status contains information about whether the request is approved or denied, and the certificate issued by the
   * signer, or the failure condition indicating signer failure.
   */
  status?: CertificateSigningRequestStatus;
}

/** The resource `certificatesigningrequests` of `certificates.k8s.io/v1`. */
export const CertificateSigningRequest: BuiltInResource<CertificateSigningRequest, "Cluster"> = {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  singular: "certificatesigningrequest",
  scope: "Cluster",
  shortNames: ["csr"],
  categories: [],
  subresources: ["approval", "status"],
  verbs: everyVerb,
};

/** CertificateSigningRequestCondition describes a condition of a CertificateSigningRequest object */
export interface CertificateSigningRequestCondition {
  /** lastTransitionTime is the time the condition last transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** lastUpdateTime is the time of the last update to this condition */
  lastUpdateTime?: metaV1.Time;
  /** message contains a human readable message with details about the request state */
  message?: string;
  /** reason indicates a brief reason for the request state */
  reason?: string;
  /**
   * status of the condition, one of True, False, Unknown. Approved, Denied, and Failed conditions may not be "False" or
   * "Unknown".
   */
  status: string;
  /** type of the condition. Known conditions are "Approved", "Denied", and "Failed". */
  type: string;
}

/** CertificateSigningRequestList is a collection of CertificateSigningRequest objects */
export interface CertificateSigningRequestList {
  apiVersion: "certificates.k8s.io/v1";
  kind: "CertificateSigningRequestList";
  metadata: metaV1.ListMeta;
  /** items is a collection of CertificateSigningRequest objects */
  items: CertificateSigningRequest[];
}

/** CertificateSigningRequestSpec contains the certificate request. */
export interface CertificateSigningRequestSpec {
  /** expirationSeconds is the requested duration of validity of the issued certificate. */
  expirationSeconds?: number;
  /** extra contains extra attributes of the user that created the CertificateSigningRequest. */
  extra?: Record<string, string[]>;
  /** groups contains group membership of the user that created the CertificateSigningRequest. */
  groups?: string[];
  /** request contains an x509 certificate signing request encoded in a "CERTIFICATE REQUEST" PEM block. */
  request: string;
  /** signerName indicates the requested signer, and is a qualified name. */
  signerName: string;
  /** uid contains the uid of the user that created the CertificateSigningRequest. */
  uid?: string;
  /** usages specifies a set of key usages requested in the issued certificate. */
  usages?: KeyUsage[];
  /** username contains the name of the user that created the CertificateSigningRequest. */
  username?: string;
}

/**
 * CertificateSigningRequestStatus contains conditions used to indicate approved/denied/failed status of the request,
 * and the issued certificate.
 */
export interface CertificateSigningRequestStatus {
  /** certificate is populated with an issued certificate by the signer after an Approved condition is present. */
  certificate?: string;
  /** conditions applied to the request. Known conditions are "Approved", "Denied", and "Failed". */
  conditions?: CertificateSigningRequestCondition[];
}

/** The values of `KeyUsage`. */
export type KeyUsage =
  | "any"
  | "cert sign"
  | "client auth"
  | "code signing"
  | "content commitment"
  | "crl sign"
  | "data encipherment"
  | "decipher only"
  | "digital signature"
  | "email protection"
  | "encipher only"
  | "ipsec end system"
  | "ipsec tunnel"
  | "ipsec user"
  | "key agreement"
  | "key encipherment"
  | "microsoft sgc"
  | "netscape sgc"
  | "ocsp signing"
  | "s/mime"
  | "server auth"
  | "signing"
  | "timestamping";

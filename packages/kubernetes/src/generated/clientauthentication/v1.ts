// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";

/**
 * Cluster contains information to allow an exec plugin to communicate with the kubernetes cluster being authenticated
 * to.
 */
export interface Cluster {
  /** CAData contains PEM-encoded certificate authority certificates. If empty, system roots should be used. */
  "certificate-authority-data"?: string;
  /**
   * Config holds additional config data that is specific to the exec plugin with regards to the cluster being
   * authenticated to.
   */
  config?: metaV1.RawExtension;
  /** DisableCompression allows client to opt-out of response compression for all requests to the server. */
  "disable-compression"?: boolean;
  /** InsecureSkipTLSVerify skips the validity check for the server's certificate. */
  "insecure-skip-tls-verify"?: boolean;
  /** ProxyURL is the URL to the proxy to be used for all requests to this cluster. */
  "proxy-url"?: string;
  /** Server is the address of the kubernetes cluster (https://hostname:port). */
  server: string;
  /** TLSServerName is passed to the server for SNI and is used in the client to check server certificates against. */
  "tls-server-name"?: string;
}

/** ExecCredential is used by exec-based plugins to communicate credentials to HTTP transports. */
export interface ExecCredential {
  apiVersion: "client.authentication.k8s.io/v1";
  kind: "ExecCredential";
  /** Spec holds information passed to the plugin by the transport. */
  spec?: ExecCredentialSpec;
  /** Status is filled in by the plugin and holds the credentials that the transport should use to contact the API. */
  status?: ExecCredentialStatus;
}

/** ExecCredentialSpec holds request and runtime specific information provided by the transport. */
export interface ExecCredentialSpec {
  /**
   * Cluster contains information to allow an exec plugin to communicate with the kubernetes cluster being authenticated
   * to.
   */
  cluster?: Cluster;
  /** Interactive declares whether stdin has been passed to this exec plugin. */
  interactive: boolean;
}

/** ExecCredentialStatus holds credentials for the transport to use. */
export interface ExecCredentialStatus {
  /** PEM-encoded client TLS certificates (including intermediates, if any). */
  clientCertificateData?: string;
  /** PEM-encoded private key for the above certificate. */
  clientKeyData?: string;
  /** ExpirationTimestamp indicates a time when the provided credentials expire. */
  expirationTimestamp?: metaV1.Time;
  /** Token is a bearer token used by the client for request authentication. */
  token?: string;
}

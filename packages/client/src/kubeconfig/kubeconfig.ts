/** A parsed and merged kubeconfig. Paths in it are absolute. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** The files that it was read from, in order of precedence. */
  readonly files: readonly string[];
}

/** The file of an entry, for error messages. */
export interface Origin {
  readonly file: string;
}

/** A cluster: its address and TLS settings. */
export interface ClusterEntry extends Origin {
  readonly server: string;
  readonly certificateAuthority: Material | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly tlsServerName: string | undefined;
  readonly proxyUrl: string | undefined;
}

/** A certificate, key or token: inline data of the kubeconfig, or a file that may change at run time. */
export type Material = { readonly data: string } | { readonly path: string };

/** A user: its credentials. */
export interface UserEntry extends Origin {
  readonly clientCertificate: Material | undefined;
  readonly clientKey: Material | undefined;
  readonly token: Material | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecEntry | undefined;
  readonly impersonate: Impersonation | undefined;
}

/** A client-go credential plugin, version v1 or v1beta1. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly installHint: string | undefined;
}

/** A user to impersonate. The server must authorize it. */
export interface Impersonation {
  readonly user: string | undefined;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A context: a cluster, a user and a namespace. */
export interface ContextEntry extends Origin {
  readonly cluster: string;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

/** A kubeconfig after its files were read and merged: names point to entries, paths are absolute. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** The files it came from, in the order of precedence. */
  readonly files: readonly string[];
}

/** Where each entry was written, for messages. */
export interface Origin {
  readonly file: string;
}

/** How to reach a cluster. */
export interface ClusterEntry extends Origin {
  readonly server: string;
  readonly certificateAuthority: Material | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly tlsServerName: string | undefined;
  readonly proxyUrl: string | undefined;
}

/** A certificate, key or token: written in the kubeconfig, or in a file that may change while we run. */
export type Material = { readonly data: string } | { readonly path: string };

/** Who to be. */
export interface UserEntry extends Origin {
  readonly clientCertificate: Material | undefined;
  readonly clientKey: Material | undefined;
  readonly token: Material | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecEntry | undefined;
  readonly impersonate: Impersonation | undefined;
}

/** A program that hands out credentials: the client-go credential plugin, version v1 or v1beta1. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly installHint: string | undefined;
}

/** Acting as somebody else, where the server allows it. */
export interface Impersonation {
  readonly user: string | undefined;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A cluster, a user and a namespace, under one name. */
export interface ContextEntry extends Origin {
  readonly cluster: string;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

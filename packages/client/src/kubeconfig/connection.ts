import { KubeconfigError } from "./errors.ts";
import type { ClusterEntry, ExecEntry, Impersonation, Kubeconfig, Material, UserEntry } from "./kubeconfig.ts";

/** The address, TLS settings and credentials of an API server. Only `server` is required. */
export interface Connection {
  /** `https://host:port`, optionally with a path prefix, without a trailing slash. */
  readonly server: string;
  readonly tls?: TlsOptions | undefined;
  /** The credentials of the user. Default: anonymous. */
  readonly identity?: Identity | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The URL of an http, https or socks5 proxy. */
  readonly proxyUrl?: string | undefined;
  /** The namespace of the context. The client never uses it as a default. */
  readonly namespace?: string | undefined;
}

/** Options of TLS connections to the server. */
export interface TlsOptions {
  /** The CA certificates that the server is verified with. Default: those that Node trusts. */
  readonly certificateAuthority?: Material | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
  /** The name that the server certificate must be valid for. Default: the host of the URL. */
  readonly serverName?: string | undefined;
}

/** Credentials of a user. At most one of token, basic and exec; a client certificate may be combined with any of them. */
export interface Identity {
  readonly clientCertificate?: Material | undefined;
  readonly clientKey?: Material | undefined;
  readonly token?: Material | undefined;
  readonly basic?: UserEntry["basic"];
  readonly exec?: ExecEntry | undefined;
}

/** Returns the connection of a context, by default the current context. Throws a `KubeconfigError` if it is incomplete or invalid. */
export function connectionOf(config: Kubeconfig, contextName: string | undefined = config.currentContext): Connection {
  const files = config.files.join(", ") || "kubeconfig";
  if (contextName === undefined) {
    throw new KubeconfigError({
      file: files,
      field: "current-context",
      problem: "is not set",
      remedy: `Select a context${choices([...config.contexts.keys()])}, or run \`kubectl config use-context\`.`,
    });
  }
  const context = config.contexts.get(contextName);
  if (context === undefined) {
    throw new KubeconfigError({
      file: files,
      field: `contexts[name=${contextName}]`,
      problem: "does not exist",
      remedy: `Select another context${choices([...config.contexts.keys()])}.`,
    });
  }
  const field = `contexts[name=${contextName}].context`;
  const cluster = pick(config.clusters, context.cluster, {
    file: context.file,
    field: `${field}.cluster`,
    list: "clusters",
  });
  const user =
    context.user === undefined
      ? undefined
      : pick(config.users, context.user, { file: context.file, field: `${field}.user`, list: "users" });
  checkCluster(cluster, context.cluster);
  if (user !== undefined && context.user !== undefined) checkUser(user, context.user);
  return {
    server: withScheme(cluster.server),
    tls: {
      certificateAuthority: cluster.insecureSkipTlsVerify ? undefined : cluster.certificateAuthority,
      insecureSkipVerify: cluster.insecureSkipTlsVerify,
      serverName: cluster.tlsServerName,
    },
    identity: {
      clientCertificate: user?.clientCertificate,
      clientKey: user?.clientKey,
      token: user?.token,
      basic: user?.basic,
      exec: user?.exec,
    },
    impersonate: user?.impersonate,
    proxyUrl: cluster.proxyUrl,
    namespace: context.namespace ?? "default",
  };
}

function pick<T>(
  entries: ReadonlyMap<string, T>,
  name: string,
  location: { file: string; field: string; list: string },
): T {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  throw new KubeconfigError({
    file: location.file,
    field: location.field,
    problem: name === "" ? "is missing" : `refers to "${name}", which is not in ${location.list}`,
    remedy: `Use an existing one${choices([...entries.keys()])}.`,
  });
}

function checkCluster(cluster: ClusterEntry, name: string): void {
  const fault = (field: string, problem: string, remedy: string): KubeconfigError =>
    new KubeconfigError({ file: cluster.file, field: `clusters[name=${name}].cluster.${field}`, problem, remedy });
  if (cluster.server === "") throw fault("server", "is missing", "Use the form https://HOST:PORT.");
  if (!URL.canParse(withScheme(cluster.server))) {
    throw fault("server", `is "${cluster.server}", not a URL`, "Use the form https://HOST:PORT.");
  }
  if (cluster.insecureSkipTlsVerify && cluster.certificateAuthority !== undefined) {
    throw fault(
      "insecure-skip-tls-verify",
      "is true, but certificate-authority is set",
      "Remove one of the two, preferably insecure-skip-tls-verify.",
    );
  }
  if (cluster.proxyUrl !== undefined) {
    const scheme = URL.canParse(cluster.proxyUrl) ? new URL(cluster.proxyUrl).protocol : "";
    if (!["http:", "https:", "socks5:"].includes(scheme)) {
      throw fault("proxy-url", `is not an http, https or socks5 URL`, "Use the form http://HOST:PORT.");
    }
  }
}

function checkUser(user: UserEntry, name: string): void {
  const fault = (field: string, problem: string, remedy: string): KubeconfigError =>
    new KubeconfigError({ file: user.file, field: `users[name=${name}].user.${field}`, problem, remedy });
  if (user.clientCertificate !== undefined && user.clientKey === undefined) {
    throw fault("client-key", "is required with client-certificate", "Add client-key or client-key-data.");
  }
  if (user.clientKey !== undefined && user.clientCertificate === undefined) {
    throw fault(
      "client-certificate",
      "is required with client-key",
      "Add client-certificate or client-certificate-data.",
    );
  }
  const methods = [user.token && "token", user.basic && "username", user.exec && "exec"].filter(
    (method) => typeof method === "string",
  );
  if (methods.length > 1) {
    throw fault(
      methods[0] ?? "",
      `cannot be combined with ${methods.slice(1).join(" and ")}`,
      "Keep one authentication method and remove the others.",
    );
  }
}

/** Adds `http://` to a server without a scheme, as kubectl does, and removes trailing slashes. */
function withScheme(server: string): string {
  const full = /^https?:\/\//.test(server) ? server : `http://${server}`;
  return full.replace(/\/+$/, "");
}

function choices(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (available: ${names.join(", ")})`;
}

import { KubeconfigError } from "./errors.ts";
import type { ClusterEntry, ExecEntry, Impersonation, Kubeconfig, Material, UserEntry } from "./kubeconfig.ts";

/** Everything needed to open connections to one API server as one user. The server alone is enough for a plain one. */
export interface Connection {
  /** `https://host:port`, possibly with a path prefix, without a slash at the end. */
  readonly server: string;
  readonly tls?: TlsOptions | undefined;
  /** Nobody in particular when left out. */
  readonly identity?: Identity | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** An http, https or socks5 proxy to go through. */
  readonly proxyUrl?: string | undefined;
  /** The namespace that the context names. The client itself never fills it in. */
  readonly namespace?: string | undefined;
}

/** How the server is known and how we show who we are at the TLS level. */
export interface TlsOptions {
  /** The authorities that may vouch for the server. Undefined: those that Node trusts. */
  readonly certificateAuthority?: Material | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
  /** The name the server's certificate must carry, when it is not the host of the URL. */
  readonly serverName?: string | undefined;
}

/** How requests prove who sends them. At most one of token, basic and exec; a certificate may come with any of them. */
export interface Identity {
  readonly clientCertificate?: Material | undefined;
  readonly clientKey?: Material | undefined;
  readonly token?: Material | undefined;
  readonly basic?: UserEntry["basic"];
  readonly exec?: ExecEntry | undefined;
}

/** The connection that a context describes; the current context when none is named. */
export function connectionOf(config: Kubeconfig, contextName: string | undefined = config.currentContext): Connection {
  const files = config.files.join(", ") || "kubeconfig";
  if (contextName === undefined) {
    throw new KubeconfigError({
      file: files,
      field: "current-context",
      problem: "is not set",
      remedy: `Name a context${choices([...config.contexts.keys()])}, or run \`kubectl config use-context\`.`,
    });
  }
  const context = config.contexts.get(contextName);
  if (context === undefined) {
    throw new KubeconfigError({
      file: files,
      field: `contexts[name=${contextName}]`,
      problem: "does not exist",
      remedy: `Name another context${choices([...config.contexts.keys()])}.`,
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
  place: { file: string; field: string; list: string },
): T {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  throw new KubeconfigError({
    file: place.file,
    field: place.field,
    problem: name === "" ? "is missing" : `names "${name}", which is not among the ${place.list}`,
    remedy: `Name one that exists${choices([...entries.keys()])}.`,
  });
}

function checkCluster(cluster: ClusterEntry, name: string): void {
  const fault = (field: string, problem: string, remedy: string): KubeconfigError =>
    new KubeconfigError({ file: cluster.file, field: `clusters[name=${name}].cluster.${field}`, problem, remedy });
  if (cluster.server === "") throw fault("server", "is missing", "Write it as https://HOST:PORT.");
  if (!URL.canParse(withScheme(cluster.server))) {
    throw fault("server", `is "${cluster.server}", not a URL`, "Write it as https://HOST:PORT.");
  }
  if (cluster.insecureSkipTlsVerify && cluster.certificateAuthority !== undefined) {
    throw fault(
      "insecure-skip-tls-verify",
      "is true though a certificate authority is given",
      "Remove one of the two; keep the authority if you can.",
    );
  }
  if (cluster.proxyUrl !== undefined) {
    const scheme = URL.canParse(cluster.proxyUrl) ? new URL(cluster.proxyUrl).protocol : "";
    if (!["http:", "https:", "socks5:"].includes(scheme)) {
      throw fault("proxy-url", `is not an http, https or socks5 URL`, "Write it as http://HOST:PORT.");
    }
  }
}

function checkUser(user: UserEntry, name: string): void {
  const fault = (field: string, problem: string, remedy: string): KubeconfigError =>
    new KubeconfigError({ file: user.file, field: `users[name=${name}].user.${field}`, problem, remedy });
  if (user.clientCertificate !== undefined && user.clientKey === undefined) {
    throw fault("client-key", "is missing though a client certificate is given", "Add client-key or client-key-data.");
  }
  if (user.clientKey !== undefined && user.clientCertificate === undefined) {
    throw fault(
      "client-certificate",
      "is missing though a client key is given",
      "Add client-certificate or client-certificate-data.",
    );
  }
  const ways = [user.token && "token", user.basic && "username", user.exec && "exec"].filter(
    (way) => typeof way === "string",
  );
  if (ways.length > 1) {
    throw fault(
      ways[0] ?? "",
      `stands beside ${ways.slice(1).join(" and ")}`,
      "Keep one way to log in and remove the others.",
    );
  }
}

/** kubectl reads a server without a scheme as http. */
function withScheme(server: string): string {
  const full = /^https?:\/\//.test(server) ? server : `http://${server}`;
  return full.replace(/\/+$/, "");
}

function choices(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (there are: ${names.join(", ")})`;
}

/** Input of {@link processEnvironment}. */
export interface EnvironmentInput {
  /** Environment of this program. */
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly baseline: ReadonlyMap<string, string>;
  readonly sandbox: { readonly name: string; readonly namespace: string; readonly routingKey: string };
  /** Folder with the mounted files; undefined if there is none. */
  readonly files: string | undefined;
  /** Address of the proxy; undefined to set no variables of proxies. */
  readonly proxy: string | undefined;
}

/** Variables whose value on this machine takes precedence over that of the container. */
const kept: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TMPDIR",
  "TERM",
  "PWD",
  "HOSTNAME",
]);

/** Returns the environment of a command in place of a service: this machine's, then the baseline's, then that of the sandbox and the proxy. */
export function processEnvironment({ own, baseline, sandbox, files, proxy }: EnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) if (value !== undefined) env[name] = value;
  for (const [name, value] of baseline) if (!kept.has(name)) env[name] = value;
  env["SANDBOX_NAME"] = sandbox.name;
  env["SANDBOX_NAMESPACE"] = sandbox.namespace;
  env["SANDBOX_ROUTING_KEY"] = sandbox.routingKey;
  if (files !== undefined) env["SANDBOX_FILES"] = files;
  if (proxy === undefined) return env;
  // Programs read either form; some only the lower-case one.
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY"]) env[name] = env[name.toLowerCase()] = `http://${proxy}`;
  env["ALL_PROXY"] = env["all_proxy"] = `socks5h://${proxy}`;
  const except = [own["NO_PROXY"] ?? own["no_proxy"] ?? "", "localhost,127.0.0.1,::1"].filter((text) => text !== "");
  env["NO_PROXY"] = env["no_proxy"] = except.join(",");
  return env;
}

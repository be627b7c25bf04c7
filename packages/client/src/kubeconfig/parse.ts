import { isAbsolute, join } from "node:path";
import type * as Yaml from "yaml";
import { KubeconfigError } from "./errors.ts";
import type {
  ClusterEntry,
  ContextEntry,
  ExecEntry,
  Impersonation,
  Kubeconfig,
  Material,
  UserEntry,
} from "./kubeconfig.ts";
import { Reader } from "./reader.ts";

const bytesMax = 4 * 1024 * 1024;

/** The exports of the YAML library that are used here. */
type YamlLibrary = Pick<typeof Yaml, "parse" | "YAMLParseError">;

interface FileLocation {
  readonly file: string;
  readonly folder: string;
}

/**
 * Parses a kubeconfig file. Relative paths in it are resolved against `folder`, the directory of the file, as in kubectl.
 *
 * Throws a {@link KubeconfigError} that names the field. Credentials never appear in a message.
 */
export async function parseKubeconfig(text: string, place: { file: string; folder: string }): Promise<Kubeconfig> {
  const json = parseJson(text);
  // Imported on first use: it takes longer to load than the rest of this package, and programs in a pod never need it.
  return readKubeconfig(json === undefined ? parseYaml(text, place.file, await import("yaml")) : json.value, place);
}

/** Converts a parsed kubeconfig. */
export function readKubeconfig(value: unknown, location: FileLocation): Kubeconfig {
  const { file } = location;
  const root = new Reader(value, file).mapping();
  checkHeader(root);
  return {
    currentContext: root.at("current-context").text(),
    clusters: named(root, "clusters", "cluster", (reader) => readCluster(reader, location)),
    users: named(root, "users", "user", (reader) => readUser(reader, location)),
    contexts: named(root, "contexts", "context", (reader) => readContext(reader, location)),
    files: [file],
  };
}

/** Parses JSON. Returns undefined for any other text: it may be YAML in flow style, whose parser reports the line of an error. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (!text.startsWith("{") || text.length > bytesMax) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Parses YAML, or throws a {@link KubeconfigError}. */
export function parseYaml(text: string, file: string, { parse, YAMLParseError }: YamlLibrary): unknown {
  if (text.length > bytesMax) {
    throw new KubeconfigError({
      file,
      problem: `is larger than ${bytesMax} bytes`,
      remedy: "Check that it is a kubeconfig.",
    });
  }
  try {
    // Without `logLevel` the parser prints warnings that quote the line, which may contain a token.
    return parse(text, {
      logLevel: "error",
      maxAliasCount: 100,
      prettyErrors: true,
      uniqueKeys: true,
      stringKeys: true,
    });
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0] : undefined;
    throw new KubeconfigError({
      file: line === undefined ? file : `${file}:${line.line}:${line.col}`,
      // Only the code of the parser's error: its message may quote the line, which may contain a secret.
      problem: `is not valid YAML${error instanceof YAMLParseError ? ` (${error.code.toLowerCase().replaceAll("_", " ")})` : ""}`,
      remedy: "Correct the file at that position, or recreate it.",
    });
  }
}

function checkHeader(root: Reader): void {
  const kind = root.at("kind").text();
  if (kind !== undefined && kind !== "Config")
    throw root.at("kind").fault(`is "${kind}", not "Config"`, "Check that it is a kubeconfig.");
  const version = root.at("apiVersion").text();
  if (version !== undefined && version !== "v1")
    throw root.at("apiVersion").fault(`is "${version}", not "v1"`, "Only version v1 is supported.");
}

/** Reads `[{ name, <inner>: {…} }]` into a map. Duplicate names in one file are rejected, as by kubectl. */
function named<T>(root: Reader, list: string, inner: string, read: (reader: Reader) => T): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of root.at(list).list()) {
    const name = item.mapping().at("name").requiredText(`Add a name to the entry.`);
    if (found.has(name)) {
      throw item.at("name").fault(`duplicates the name "${name}" in ${list}`, "Rename or remove one of the two.");
    }
    found.set(name, read(item.at(inner).mapping().named(`${list}[name=${name}].${inner}`)));
  }
  return found;
}

function readCluster(reader: Reader, { file, folder }: FileLocation): ClusterEntry {
  const server = reader.at("server").text() ?? "";
  if (server !== "" && !/^https?:\/\/[^/]/.test(server) && /:\/\//.test(server)) {
    throw reader.at("server").fault(`is "${server}", not an http or https URL`, "Use the form https://HOST:PORT.");
  }
  return {
    file,
    server,
    certificateAuthority: material(reader, "certificate-authority", folder),
    insecureSkipTlsVerify: reader.at("insecure-skip-tls-verify").flag(),
    tlsServerName: reader.at("tls-server-name").text(),
    proxyUrl: reader.at("proxy-url").text(),
  };
}

function readUser(reader: Reader, { file, folder }: FileLocation): UserEntry {
  const provider = reader.at("auth-provider");
  if (!provider.isAbsent) {
    throw provider.fault(
      "is an authentication method that Kubernetes removed in 1.26",
      "Use the exec plugin of your provider instead (for example gke-gcloud-auth-plugin, kubelogin, aws eks get-token).",
    );
  }
  const username = reader.at("username").text();
  const tokenFile = reader.at("tokenFile").text();
  const token = reader.at("token").text();
  return {
    file,
    clientCertificate: material(reader, "client-certificate", folder),
    clientKey: material(reader, "client-key", folder),
    // tokenFile takes precedence over token, as in client-go, because the file can rotate.
    token:
      tokenFile !== undefined
        ? { path: resolvePath(folder, tokenFile) }
        : token !== undefined
          ? { data: token }
          : undefined,
    basic: username === undefined ? undefined : { username, password: reader.at("password").text() ?? "" },
    exec: reader.at("exec").isAbsent ? undefined : readExec(reader.at("exec").mapping(), folder),
    impersonate: readImpersonation(reader),
  };
}

function readExec(reader: Reader, folder: string): ExecEntry {
  const apiVersion = reader.at("apiVersion").requiredText("Set it to client.authentication.k8s.io/v1.");
  if (apiVersion !== "client.authentication.k8s.io/v1" && apiVersion !== "client.authentication.k8s.io/v1beta1") {
    throw reader
      .at("apiVersion")
      .fault(`is "${apiVersion}"`, "Supported are client.authentication.k8s.io/v1 and v1beta1; update the plugin.");
  }
  const mode = reader.at("interactiveMode").text() ?? "IfAvailable";
  if (mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw reader.at("interactiveMode").fault(`is "${mode}"`, "Use Never, IfAvailable or Always.");
  }
  const command = reader.at("command").requiredText("Set it to the program that issues the credentials.");
  return {
    apiVersion,
    // A bare name is looked up in PATH; a path is resolved against the directory of the kubeconfig.
    command: command.includes("/") ? resolvePath(folder, command) : command,
    args: reader
      .at("args")
      .list()
      .map((item) => item.text() ?? ""),
    env: reader
      .at("env")
      .list()
      .map((item) => ({
        name: item.at("name").requiredText("Add the name of the variable."),
        value: item.at("value").text() ?? "",
      })),
    provideClusterInfo: reader.at("provideClusterInfo").flag(),
    interactiveMode: mode,
    installHint: reader.at("installHint").text(),
  };
}

function readImpersonation(reader: Reader): Impersonation | undefined {
  const user = reader.at("as").text();
  const uid = reader.at("as-uid").text();
  const groups = reader
    .at("as-groups")
    .list()
    .map((item) => item.requiredText("Add the name of the group."));
  const extra = new Map(
    reader
      .at("as-user-extra")
      .entries()
      .map(([key, values]) => [key, values.list().map((item) => item.text() ?? "")]),
  );
  if (user === undefined && (uid !== undefined || groups.length > 0 || extra.size > 0)) {
    throw reader.at("as").fault("is required with as-uid, as-groups and as-user-extra", "Add the user to impersonate.");
  }
  return user === undefined ? undefined : { user, uid, groups, extra };
}

function readContext(reader: Reader, { file }: FileLocation): ContextEntry {
  return {
    file,
    cluster: reader.at("cluster").text() ?? "",
    user: reader.at("user").text(),
    namespace: reader.at("namespace").text(),
  };
}

/** Reads `<name>-data` (base64) or `<name>` (a path). The former takes precedence, as in client-go. */
function material(reader: Reader, name: string, folder: string): Material | undefined {
  const data = reader.at(`${name}-data`);
  const encoded = data.text();
  if (encoded !== undefined) {
    const compact = encoded.replace(/\s/g, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact) || compact.length % 4 !== 0) {
      throw data.fault("is not base64", "Encode the PEM with `base64 -w0`, or use the path of a file instead.");
    }
    return { data: Buffer.from(compact, "base64").toString("utf8") };
  }
  const path = reader.at(name).text();
  return path === undefined ? undefined : { path: resolvePath(folder, path) };
}

function resolvePath(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

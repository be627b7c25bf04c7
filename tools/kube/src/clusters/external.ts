import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { ApiAccess } from "../control-plane/api.ts";
import { KubeconfigUnusableError } from "../errors.ts";
import { type Environment, binariesFolder } from "../cache/paths.ts";
import { tryRun } from "../processes/run.ts";
import { field, list, parseJson, text } from "../cache/shape.ts";

/**
 * Returns the kubeconfig of the user's own cluster if the user has chosen it for the suites; else undefined.
 *
 * `KUBECONFIG` alone is no choice: many shells set it, often for an important cluster. It counts only together with
 * `HOMEOSTAT_E2E=kubeconfig`. `HOMEOSTAT_E2E_KUBECONFIG` names a file and is sufficient.
 */
export function chosenKubeconfig(env: Environment): string | undefined {
  const own = env["HOMEOSTAT_E2E_KUBECONFIG"];
  if (own !== undefined && own !== "") return own;
  const mode = env["HOMEOSTAT_E2E"];
  if (mode === undefined || mode === "") return undefined;
  if (mode !== "kubeconfig") {
    throw new KubeconfigUnusableError(
      `Invalid HOMEOSTAT_E2E ${JSON.stringify(mode)}: the only value is "kubeconfig", to run the suites on the cluster of KUBECONFIG.`,
    );
  }
  const path = env["KUBECONFIG"];
  if (path !== undefined && path !== "") return path;
  throw new KubeconfigUnusableError("HOMEOSTAT_E2E=kubeconfig requires KUBECONFIG, which is not set.");
}

/** Reads the access to the current cluster of a kubeconfig. Throws {@link KubeconfigUnusableError} on failure. */
export async function readKubeconfig(path: string, env: Environment): Promise<ApiAccess> {
  if (path.includes(delimiter)) {
    throw new KubeconfigUnusableError(
      `${path} names several files. Name one: kubectl config view --flatten --minify > one`,
    );
  }
  const file = resolve(path);
  let source: string;
  try {
    source = readFileSync(file, "utf8");
  } catch (cause) {
    throw new KubeconfigUnusableError(`The kubeconfig ${file} cannot be read.`, { cause });
  }
  const access = parseAccess(parseJson(source), dirname(file)) ?? parsePlainYaml(source, dirname(file));
  if (access !== undefined) return access;
  const described = parseAccess(await askKubectl(file, env), dirname(file));
  if (described !== undefined) return described;
  throw new KubeconfigUnusableError(
    `The kubeconfig ${file} has no server with a client certificate or a token, which the suites need.`,
  );
}

/** Converts a kubeconfig to JSON with kubectl, for files that need a complete YAML parser. */
async function askKubectl(file: string, env: Environment): Promise<unknown> {
  const own = join(binariesFolder(env), "kubectl");
  const args = ["config", "view", "--raw", "--flatten", "--minify", "--output=json", `--kubeconfig=${file}`];
  const result = await tryRun(existsSync(own) ? own : "kubectl", args, { env });
  if (result.code === 0) return parseJson(result.stdout);
  throw new KubeconfigUnusableError(
    result.code === 127
      ? `The kubeconfig ${file} needs kubectl to be parsed, which is not installed. Run: npm run kube -- build kubectl`
      : `kubectl cannot read the kubeconfig ${file}: ${result.stderr.trim()}`,
  );
}

/** Reads the current context of a kubeconfig in JSON. */
export function parseAccess(config: unknown, folder: string): ApiAccess | undefined {
  const named = (kind: string, name: string | undefined): unknown =>
    list(config, kind).find((entry) => text(entry, "name") === name);
  const context = field(named("contexts", text(config, "current-context")), "context");
  const cluster = field(named("clusters", text(context, "cluster")), "cluster");
  const user = field(named("users", text(context, "user")), "user");
  return toAccess((key) => text(cluster, key) ?? text(user, key), folder);
}

const keys = [
  "server",
  "certificate-authority",
  "certificate-authority-data",
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "token",
];

/**
 * Reads a kubeconfig with one cluster and one user, as written by this tool, kind and kubeadm.
 *
 * Parses only lines of the form `key: value`. Everything else is left to kubectl.
 */
export function parsePlainYaml(source: string, folder: string): ApiAccess | undefined {
  const found = new Map<string, string>();
  for (const line of source.split("\n")) {
    if (/^\s*(-\s+)?(exec|auth-provider|tls-server-name|proxy-url|insecure-skip-tls-verify|username)\s*:/.test(line))
      return undefined;
    const [, key, value] =
      /^\s*(?:-\s+)?([a-z-]+):\s*("[^"\\]*"|'[^'\\]*'|[^"'&*!|>{[\s#][^\s#]*)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined || !keys.includes(key)) continue;
    if (found.has(key)) return undefined;
    found.set(key, value.replace(/^["']|["']$/g, ""));
  }
  return toAccess((key) => found.get(key), folder);
}

function toAccess(get: (key: string) => string | undefined, folder: string): ApiAccess | undefined {
  const pem = (key: string): string | undefined => {
    const data = get(`${key}-data`);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    const path = get(key);
    return path === undefined || !existsSync(resolve(folder, path))
      ? undefined
      : readFileSync(resolve(folder, path), "utf8");
  };
  const server = get("server");
  const [ca, cert, key, token] = [
    pem("certificate-authority"),
    pem("client-certificate"),
    pem("client-key"),
    get("token"),
  ];
  if (server === undefined || !URL.canParse(server)) return undefined;
  if ((cert === undefined || key === undefined) && token === undefined) return undefined;
  return { server, ca, cert, key, token };
}

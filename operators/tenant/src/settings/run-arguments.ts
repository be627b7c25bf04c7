// The flags under which others know what every operator of this project has.

/** The flag that means the same here, by the name it has elsewhere. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["enable-webhooks", "webhooks"],
  ["cert-dir", "webhook-cert-dir"],
  ["leader-election-namespace", "namespace"],
]);

/**
 * A command line in the words of this program. What has no other name passes as it is.
 *
 * @example
 * runArguments(["--enable-webhooks=false", "--cert-dir", "/certs"]); // ["--webhooks=false", "--webhook-cert-dir", "/certs"]
 */
export function runArguments(argv: readonly string[]): string[] {
  return argv.map((word) => {
    const [, name = "", rest = ""] = /^--?([a-z][a-z-]+)(=[\s\S]*)?$/.exec(word) ?? [];
    const now = aliases.get(name);
    return now === undefined ? word : `--${now}${rest}`;
  });
}

/** The environment in the words of this program; what it is told in these wins. */
export function runEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return {
    ...env,
    WEBHOOK_CERT_DIR: env["WEBHOOK_CERT_DIR"] ?? env["CERT_DIR"],
    POD_NAMESPACE: env["POD_NAMESPACE"] ?? env["LEADER_ELECTION_NAMESPACE"],
  };
}

/** The namespace that the program is told it lives in; undefined when it is not told. */
export function namespaceIn(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const words = runArguments(argv);
  const at = words.findLastIndex((word) => word === "--namespace" || word.startsWith("--namespace="));
  const said = words[at] === "--namespace" ? words[at + 1] : words[at]?.slice("--namespace=".length);
  return said ?? (runEnvironment(env)["POD_NAMESPACE"] || undefined);
}

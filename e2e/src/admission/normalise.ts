// Takes out of answers what no two servers have alike.

const patterns: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  [/made-up-[a-z0-9]{5}/g, "made-up-<made up>"],
  [/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<made up>"],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/https:\/\/kubernetes\.default\.svc(\.cluster\.local)?/g, "<issuer>"],
  [/X509SHA256=[0-9a-f]+/g, "<certificate>"],
  [/\b127\.0\.0\.1:\d+/g, "127.0.0.1:<port>"],
  [/read tcp 127[^ ]+ /g, "read tcp <addresses> "],
];

/** A value with stand-ins for uids, versions, times and what was made up. */
export function normal(value: unknown, namespace: string, key = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => normal(each, namespace, key));
  if (typeof value === "string") return normalText(value, namespace, key);
  if (typeof value !== "object" || value === null) return value;
  // Fields of managed fields are another suite's business.
  const entries = Object.entries(value).filter(([name]) => name !== "managedFields");
  return Object.fromEntries(entries.map(([name, each]) => [name, normal(each, namespace, name)]));
}

function normalText(text: string, namespace: string, key: string): string {
  if (/^clusterIPs?$/.test(key) && text.startsWith("10.")) return "<address>";
  if (key === "resourceVersion") return "<version>";
  if (key === "username" && /^(kubernetes-)?admin$/.test(text)) return "<admin>";
  let made = text.replaceAll(namespace, "{ns}");
  for (const [pattern, stand] of patterns) made = made.replace(pattern, stand);
  return made;
}

// Adds the routing key to an HTTP/1.1 request.
//
// Only the head of the first request of a connection is read and changed; the rest is forwarded unread. `Connection: close` forces a new connection
// for each request, so no later request can miss the key. Upgrades, such as WebSockets, keep their connection.

/** Longest head of a request, in bytes. */
export const headBytesMax = 65_536;

/** The head of a request, parsed. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes after the head. */
  readonly rest: Buffer;
}

/** Parses the head of a request. Returns undefined if it is not complete yet, and "invalid" if it is not HTTP/1.x or too long. */
export function parseHead(bytes: Buffer): RequestHead | undefined | "invalid" {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) {
    const isStart = /^[A-Z]{0,16}(?: |$)/.test(bytes.toString("latin1", 0, 17));
    return bytes.length > headBytesMax || !isStart ? "invalid" : undefined;
  }
  if (end > headBytesMax) return "invalid";
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [, method, target, version] = /^([A-Z]+) (\S+) (HTTP\/1\.[01])$/.exec(first) ?? [];
  if (method === undefined || target === undefined || version === undefined) return "invalid";
  const headers: (readonly [string, string])[] = [];
  for (const line of lines) {
    const at = line.indexOf(":");
    if (at <= 0 || /^[\s]/.test(line) || /\s/.test(line.slice(0, at))) return "invalid";
    headers.push([line.slice(0, at), line.slice(at + 1).trim()]);
  }
  return { method, target, version, headers, rest: bytes.subarray(end + 4) };
}

/** Hop-by-hop headers, which a proxy must not forward. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
]);

/** Returns the bytes of a head with the routing key. A request that has a key keeps it. */
export function formatHead(
  head: RequestHead,
  { target, routingKey }: { readonly target: string; readonly routingKey: string },
): Buffer {
  const names = head.headers.map(([name]) => name.toLowerCase());
  const upgrade = head.headers.find(([name]) => name.toLowerCase() === "upgrade");
  const kept = head.headers.filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  const hasKey = names.includes("x-routing-key") || routingKey === "";
  const member = `routing-key=${routingKey}`;
  const headers = hasKey
    ? kept
    : [
        ...kept.map(
          ([name, value]) => [name, name.toLowerCase() === "baggage" ? `${value},${member}` : value] as const,
        ),
        ...(names.includes("baggage") ? [] : [["baggage", member] as const]),
        ["x-routing-key", routingKey] as const,
      ];
  const lines = [
    `${head.method} ${target} ${head.version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Connection: ${upgrade === undefined ? "close" : "Upgrade"}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

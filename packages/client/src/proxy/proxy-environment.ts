import { BlockList, isIP } from "node:net";

/**
 * Returns the proxy of the environment variables, with the rules of Go's `net/http`: `HTTPS_PROXY` or `HTTP_PROXY` depending on the
 * scheme of the server, except for hosts in `NO_PROXY` and for loopback addresses. Undefined for none or an unsupported one.
 */
export function proxyFromEnvironment(server: URL, env: Readonly<Record<string, string | undefined>>): URL | undefined {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))) return undefined;
  const isSecure = server.protocol === "https:";
  const value = isSecure
    ? env["HTTPS_PROXY"] || env["https_proxy"]
    : // In a CGI program, a client can set HTTP_PROXY with a header named Proxy ("httpoxy").
      env["REQUEST_METHOD"] === undefined
      ? env["HTTP_PROXY"] || env["http_proxy"]
      : undefined;
  if (!value || isExempt(host, server.port || (isSecure ? "443" : "80"), env["NO_PROXY"] || env["no_proxy"] || "")) {
    return undefined;
  }
  const text = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(text)) return undefined;
  const proxy = new URL(text);
  return ["http:", "https:", "socks5:", "socks5h:"].includes(proxy.protocol) ? proxy : undefined;
}

function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .some((item) => item !== "" && isCovered(host, port, item));
}

/** Reports whether an entry of `NO_PROXY` matches a host: `*`, a domain with its subdomains, `.only-subdomains`, an address or a CIDR. */
function isCovered(host: string, port: string, item: string): boolean {
  if (item === "*") return true;
  if (item.includes("/")) return isInRange(host, item);
  const [, name = "", itemPort] =
    isIP(item) === 6 ? [item, item] : (/^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(item) ?? []);
  if (name === "" || (itemPort !== undefined && itemPort !== port)) return false;
  const bare = name.replace(/^\[|\]$/g, "").replace(/^\*\./, ".");
  if (bare.startsWith(".")) return host.endsWith(bare);
  return host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
}

/** Reports whether an address is in a CIDR such as `10.0.0.0/8` or `fd00::/8`. */
function isInRange(host: string, range: string): boolean {
  const [base = "", bits = ""] = range.split("/");
  const family = isIP(base);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const type = family === 4 ? "ipv4" : "ipv6";
  const ranges = new BlockList();
  ranges.addSubnet(base, Number(bits), type);
  return ranges.check(host, type);
}

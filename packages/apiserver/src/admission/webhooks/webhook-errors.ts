import { HomeostatError } from "@homeostat/core";

/** Thrown if a webhook call failed or its response is invalid. The message is in the words of a Go client. */
export class WebhookCallError extends HomeostatError {
  readonly code = "WEBHOOK_CALL";
}

/** The properties used of errors from Node's sockets and TLS. */
interface SocketFailure {
  readonly code?: string;
  readonly message: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly valid_to?: string; readonly valid_from?: string };
}

const certificateTexts: ReadonlyMap<string, string> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate signed by unknown authority"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "certificate signed by unknown authority"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate signed by unknown authority"],
  ["UNABLE_TO_GET_ISSUER_CERT", "certificate signed by unknown authority"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate signed by unknown authority"],
  ["CERT_HAS_EXPIRED", "certificate has expired or is not yet valid"],
  ["CERT_NOT_YET_VALID", "certificate has expired or is not yet valid"],
  ["INVALID_PURPOSE", "certificate specifies an incompatible key usage"],
]);

/** Returns the error text of a Go client for a failed connection. `host` is the name the certificate must be for. */
export function goConnectionText(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  if (!isFailure(error)) return String(error);
  const { code = "", message, address = host } = error;
  const hostPort = `${address.includes(":") ? `[${address}]` : address}:${error.port ?? port}`;
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${hostPort}: connect: connection refused`;
    case "ENETUNREACH":
      return `dial tcp ${hostPort}: connect: network is unreachable`;
    case "EHOSTUNREACH":
      return `dial tcp ${hostPort}: connect: no route to host`;
    case "ETIMEDOUT":
      return `dial tcp ${hostPort}: i/o timeout`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `dial tcp: lookup ${error.hostname ?? host}${nameServer()}: no such host`;
    case "ECONNRESET":
      return message === "socket hang up" || message.includes("before secure TLS connection")
        ? "EOF"
        : `read tcp: connection reset by peer`;
    case "EPIPE":
      return "write: broken pipe";
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "EPROTO":
      return /wrong version number|http request/i.test(message)
        ? "http: server gave HTTP response to HTTPS client"
        : `remote error: tls: ${message}`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `tls: failed to verify certificate: x509: ${nameMismatch(error, host)}`;
    default: {
      const text = certificateTexts.get(code);
      return text === undefined ? message : `tls: failed to verify certificate: x509: ${text}`;
    }
  }
}

/** Returns the DNS server as Go's error messages show it. */
function nameServer(): string {
  const [first] = process.getBuiltinModule("node:dns").getServers();
  if (first === undefined) return "";
  return ` on ${first.includes(":") && !first.startsWith("[") ? `[${first}]` : first}:53`;
}

function isFailure(error: unknown): error is SocketFailure {
  return error instanceof Error;
}

function nameMismatch({ cert }: SocketFailure, host: string): string {
  const names = (cert?.subjectaltname ?? "").split(", ").filter((name) => name !== "");
  const isAddress = /^[0-9.]+$|:/.test(host);
  const title = isAddress ? "IP Address:" : "DNS:";
  const own = names.filter((name) => name.startsWith(title)).map((name) => name.slice(title.length));
  if (own.length > 0) return `certificate is valid for ${own.join(", ")}, not ${host}`;
  if (isAddress) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}

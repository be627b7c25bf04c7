import { durationToMs, tryParseDuration } from "@homeostat/core";
import { type Flags, lastValue, listValue } from "./flags.ts";

/** Supported flags of kube-apiserver; all others are accepted and ignored. */
export const kubeApiserverFlags = {
  "anonymous-auth": "allow anonymous requests, authorized by RBAC (default true)",
  "api-audiences": "audiences accepted in service account tokens",
  "audit-log-path": "file for audit events of the level Metadata of every request; '-' for standard output",
  "authorization-mode": "RBAC or AlwaysAllow (default)",
  "bind-address": "address to listen on (default 127.0.0.1)",
  "cert-dir": "directory with apiserver.crt and apiserver.key, generated if missing",
  "client-ca-file": "CA bundle that client certificates are verified against",
  "disable-admission-plugins": "admission plugins to disable",
  "event-ttl": "how long to keep events, for example 1h0m0s",
  "secure-port": "port to listen on (default 6443)",
  "service-account-issuer": "issuer of service account tokens",
  "service-account-signing-key-file": "private key that signs service account tokens",
  "service-cluster-ip-range": "CIDR of Service cluster IPs",
  "tls-cert-file": "serving certificate",
  "tls-private-key-file": "private key of the serving certificate",
  "token-auth-file": "CSV file with static tokens and their users",
} as const;

/** Settings of the embedded server read from kube-apiserver flags. */
export interface ApiserverSettings {
  readonly port: number;
  readonly host: string;
  readonly certDir: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly clientAuthorityFile: string | undefined;
  readonly tokenFile: string | undefined;
  readonly signingKeyFile: string | undefined;
  readonly issuer: string | undefined;
  readonly audiences: readonly string[];
  readonly serviceNetwork: string | undefined;
  readonly authorization: "rbac" | "always";
  readonly isAnonymousServed: boolean;
  readonly disabledSteps: readonly string[];
  readonly eventTtlMs: number | undefined;
  readonly auditLogPath: string | undefined;
  /** Names of given flags that have no effect. */
  readonly ignored: readonly string[];
}

// Flags with no effect that are not worth a warning: harnesses always set them for the real server.
const harmless = new Set(["etcd-servers", "service-account-key-file", "allow-privileged", "advertise-address"]);

/** Maps kube-apiserver flags to settings. An invalid `--secure-port` falls back to the default 6443. */
export function readApiserverSettings(flags: Flags): ApiserverSettings {
  const modes = listValue(flags, "authorization-mode");
  const authorization = modes.length === 0 || modes.includes("AlwaysAllow") ? "always" : "rbac";
  const port = Number(lastValue(flags, "secure-port") ?? "6443");
  return {
    port: Number.isInteger(port) && port >= 0 && port < 65_536 ? port : 6443,
    host: lastValue(flags, "bind-address") ?? "127.0.0.1",
    certDir: lastValue(flags, "cert-dir"),
    certFile: lastValue(flags, "tls-cert-file"),
    keyFile: lastValue(flags, "tls-private-key-file"),
    clientAuthorityFile: lastValue(flags, "client-ca-file"),
    tokenFile: lastValue(flags, "token-auth-file"),
    signingKeyFile: lastValue(flags, "service-account-signing-key-file"),
    issuer: flags.get("service-account-issuer")?.[0],
    audiences: listValue(flags, "api-audiences"),
    serviceNetwork: listValue(flags, "service-cluster-ip-range")[0],
    authorization,
    // The real server also turns anonymous access off when the authorization mode is AlwaysAllow.
    isAnonymousServed: authorization === "rbac" && lastValue(flags, "anonymous-auth") !== "false",
    disabledSteps: listValue(flags, "disable-admission-plugins"),
    eventTtlMs: durationMs(lastValue(flags, "event-ttl")),
    auditLogPath: lastValue(flags, "audit-log-path"),
    ignored: [...flags.keys()].filter((name) => !Object.hasOwn(kubeApiserverFlags, name) && !harmless.has(name)),
  };
}

/** Converts a Go duration such as `1h0m0s` to milliseconds; undefined when it does not parse. */
function durationMs(text: string | undefined): number | undefined {
  const duration = text === undefined ? undefined : tryParseDuration(text);
  return duration === undefined ? undefined : durationToMs(duration);
}

import { durationToMs, tryParseDuration } from "@homeostat/core";
import { type Flags, lastValue, listValue } from "./flags.ts";

/** The flags of kube-apiserver that mean something here; all others are accepted and do nothing. */
export const kubeApiserverFlags = {
  "anonymous-auth": "whether requests without credentials are asked about roles (default true)",
  "api-audiences": "whom tokens are for that are meant for this server",
  "authorization-mode": "RBAC, or AlwaysAllow (default)",
  "bind-address": "the address to listen on (default 127.0.0.1)",
  "cert-dir": "where apiserver.crt and apiserver.key are, or are written",
  "client-ca-file": "the authorities that vouch for certificates of clients",
  "disable-admission-plugins": "steps of admission to leave out",
  "event-ttl": "how long events are kept, such as 1h0m0s",
  "secure-port": "the port to listen on (default 6443)",
  "service-account-issuer": "who is named as the maker of tokens",
  "service-account-signing-key-file": "the key that signs tokens",
  "service-cluster-ip-range": "the network of addresses of services",
  "tls-cert-file": "the certificate of the server",
  "tls-private-key-file": "and its key",
  "token-auth-file": "tokens and whom they stand for, as CSV",
} as const;

/** What a command line for kube-apiserver asks of the embedded server. */
export interface ApiserverWish {
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
  /** Flags that do nothing here. */
  readonly ignored: readonly string[];
}

// They say where a real server finds what this one has within itself.
const needless = new Set(["etcd-servers", "service-account-key-file", "allow-privileged", "advertise-address"]);

/** What flags ask for. A port that is none is 6443, as without the flag. */
export function apiserverWish(flags: Flags): ApiserverWish {
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
    // Where everything is allowed nobody comes in without a name: the real server turns it off, too.
    isAnonymousServed: authorization === "rbac" && lastValue(flags, "anonymous-auth") !== "false",
    disabledSteps: listValue(flags, "disable-admission-plugins"),
    eventTtlMs: durationMs(lastValue(flags, "event-ttl")),
    ignored: [...flags.keys()].filter((name) => !Object.hasOwn(kubeApiserverFlags, name) && !needless.has(name)),
  };
}

/** `1h0m0s` in milliseconds; undefined for what is no such text. */
function durationMs(text: string | undefined): number | undefined {
  const duration = text === undefined ? undefined : tryParseDuration(text);
  return duration === undefined ? undefined : durationToMs(duration);
}

import { dnsSubdomainProblems } from "@homeostat/core";
import { type Flag, flag, type SettingsOf } from "@homeostat/operator";
import { configMapName } from "../api/identity.ts";

const port = { min: 0, max: 65_535 };

/** The ports of the tunnel server, in its pods and its Service. */
export const tunnelPorts = { clients: 7443, metrics: 9092 } as const;

/** The directory of the serving certificate in the pods. */
export const tunnelCertificateFolder = "/etc/sandbox-tunnel/tls";

/** The flags of the tunnel server, in addition to those of every program of this kind. */
export const tunnelFlags: {
  readonly clientPort: Flag<number>;
  readonly certDir: Flag<string>;
  readonly replica: Flag<string>;
  readonly address: Flag<string>;
  readonly drainSeconds: Flag<number>;
  readonly configMap: Flag<string>;
} = {
  clientPort: flag.integer({ default: tunnelPorts.clients, ...port, help: "port for clients (TLS)" }),
  certDir: flag.text({
    default: tunnelCertificateFolder,
    placeholder: "directory",
    help: "directory with tls.crt, tls.key and ca.crt of the port for clients, renewed externally",
  }),
  replica: flag.text({
    default: "",
    env: "POD_NAME",
    placeholder: "name",
    help: "name of this replica, which must be the name of its pod; defaults to the host name",
  }),
  address: flag.text({
    default: "",
    env: "POD_IP",
    placeholder: "address",
    help: "IP address of this replica inside the cluster; defaults to the first address of the machine",
  }),
  drainSeconds: flag.integer({
    default: 25,
    min: 0,
    max: 3_600,
    help: "seconds for which open streams continue after this replica starts to shut down",
  }),
  configMap: flag.text({
    default: configMapName,
    placeholder: "name",
    help: "name of the ConfigMap in the namespace of this program with the configuration of the operator",
    check: (text) => (dnsSubdomainProblems(text).length === 0 ? undefined : "must be the name of an object"),
  }),
};

export type TunnelSettings = SettingsOf<typeof tunnelFlags>;

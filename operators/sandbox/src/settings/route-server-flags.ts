import { type Flag, flag, type SettingsOf } from "@homeostat/operator";
import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";
import { configMapName } from "../api/identity.ts";
import { routeServerName } from "../api/names.ts";

const port = { min: 0, max: 65_535 };

/** The ports of the route server, in its pods and its Service. */
export const routeServerPorts = { streams: 7777, queries: 7778, metrics: 9091 } as const;

/** The directory of the serving certificate in the pods. */
export const routeServerCertificateFolder = "/etc/sandbox-route-server/tls";

const label = (text: string): string | undefined =>
  text === "" || dnsLabelProblems(text).length === 0 ? undefined : "must be a DNS label";
const objectName = (text: string): string | undefined =>
  dnsSubdomainProblems(text).length === 0 ? undefined : "must be the name of an object";

/** The flags of the route server, in addition to those of every program of this kind. */
export const routeServerFlags: {
  readonly streamPort: Flag<number>;
  readonly queryPort: Flag<number>;
  readonly certDir: Flag<string>;
  readonly systemNamespace: Flag<string>;
  readonly replica: Flag<string>;
  readonly service: Flag<string>;
  readonly configMap: Flag<string>;
} = {
  streamPort: flag.integer({
    default: routeServerPorts.streams,
    ...port,
    help: "port of the streams for proxies (HTTP/2 with TLS)",
  }),
  queryPort: flag.integer({
    default: routeServerPorts.queries,
    ...port,
    help: "port of the query API (HTTP/1.1, JSON)",
  }),
  certDir: flag.text({
    default: routeServerCertificateFolder,
    placeholder: "directory",
    help: "directory with tls.crt and tls.key of the stream port, renewed externally",
  }),
  systemNamespace: flag.text({
    default: "",
    placeholder: "name",
    help: "namespace of the operator, whose gateways may follow all namespaces; defaults to the namespace of this program",
    check: label,
  }),
  replica: flag.text({
    default: "",
    env: "POD_NAME",
    placeholder: "name",
    help: "name of this replica, which must be the name of its pod; defaults to the host name",
  }),
  service: flag.text({
    default: routeServerName,
    env: "ROUTE_SERVER_SERVICE",
    placeholder: "name",
    help: "Service of the route server in the system namespace; its EndpointSlices list the replicas",
    check: objectName,
  }),
  configMap: flag.text({
    default: configMapName,
    placeholder: "name",
    help: "name of the ConfigMap in the system namespace with the routing configuration",
    check: objectName,
  }),
};

export type RouteServerSettings = SettingsOf<typeof routeServerFlags>;

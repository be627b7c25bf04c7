import { type Flag, flag, type SettingsOf } from "@homeostat/operator";
import { configMapName, systemNamespace } from "@homeostat/sandbox-operator";

const port = { min: 0, max: 65_535 };

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
  streamPort: flag.integer({ default: 7777, ...port, help: "port of the streams for proxies (HTTP/2 with TLS)" }),
  queryPort: flag.integer({ default: 7778, ...port, help: "port of queries (HTTP/1.1, JSON)" }),
  certDir: flag.text({
    default: "/etc/sandbox-route-server/tls",
    placeholder: "directory",
    help: "directory with tls.crt and tls.key of the stream port, renewed externally",
  }),
  systemNamespace: flag.text({
    default: systemNamespace,
    placeholder: "name",
    help: "namespace of the operator, whose gateways may follow all namespaces",
  }),
  replica: flag.text({
    default: "",
    env: "POD_NAME",
    placeholder: "name",
    help: "name of this replica, which must be the name of its pod",
  }),
  service: flag.text({
    default: "sandbox-route-server",
    env: "ROUTE_SERVER_SERVICE",
    placeholder: "name",
    help: "Service of the route server in the system namespace; its EndpointSlices list the replicas",
  }),
  configMap: flag.text({
    default: configMapName,
    placeholder: "name",
    help: "name of the ConfigMap in the system namespace with the routing configuration",
  }),
};

export type RouteServerSettings = SettingsOf<typeof routeServerFlags>;

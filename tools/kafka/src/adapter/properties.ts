import type { Address } from "../protocol/connection.ts";
import type { AdapterConfig } from "./config.ts";

/** Name of the listener of controllers. */
export const controllerListener = "CONTROLLER";

/** Paths that are not part of the configuration. */
export interface PropertyPaths {
  readonly logFolder: string;
  /** File with the certificate and the key; undefined without TLS. */
  readonly keyStore?: string | undefined;
}

/** Returns the properties file of a member. Settings of the user come last and win. */
export function kafkaProperties(config: AdapterConfig, { logFolder, keyStore }: PropertyPaths): string {
  const { role, address, controllers, tls, extra } = config;
  const protocol = tls === undefined ? "PLAINTEXT" : "SSL";
  const shared = {
    "process.roles": role === "controller" ? "controller" : "broker",
    "node.id": config.kafkaId,
    "log.dirs": logFolder,
    "controller.listener.names": controllerListener,
    "controller.quorum.bootstrap.servers": controllers.map(addressText).join(","),
    "listener.security.protocol.map": `${controllerListener}:${protocol},CLIENT:${protocol}`,
    // Six processes share a small machine in tests.
    "num.network.threads": 2,
    "num.io.threads": 2,
    "broker.session.timeout.ms": 6000,
    "broker.heartbeat.interval.ms": 1000,
    ...(tls !== undefined && {
      "ssl.keystore.type": "PEM",
      "ssl.keystore.location": keyStore,
      "ssl.truststore.type": "PEM",
      "ssl.truststore.location": tls.ca,
      "ssl.client.auth": tls.requiresClientCert ? "required" : "none",
    }),
  };
  const own = role === "controller" ? listeners(controllerListener, address) : brokerProperties(config);
  return Object.entries({ ...shared, ...own, ...extra })
    .map(([key, value]) => `${key}=${String(value)}\n`)
    .join("");
}

function brokerProperties({ address, replicationFactor, minInSyncReplicas }: AdapterConfig): Record<string, unknown> {
  return {
    ...listeners("CLIENT", address),
    "inter.broker.listener.name": "CLIENT",
    "default.replication.factor": replicationFactor,
    "min.insync.replicas": minInSyncReplicas,
    "offsets.topic.replication.factor": replicationFactor,
    "offsets.topic.num.partitions": 3,
    "transaction.state.log.replication.factor": replicationFactor,
    "transaction.state.log.min.isr": minInSyncReplicas,
    "transaction.state.log.num.partitions": 3,
    "share.coordinator.state.topic.replication.factor": replicationFactor,
    "share.coordinator.state.topic.min.isr": minInSyncReplicas,
    "share.coordinator.state.topic.num.partitions": 3,
    "group.initial.rebalance.delay.ms": 0,
    "num.partitions": 6,
    // The default is larger than the heap.
    "log.cleaner.dedupe.buffer.size": 16 * 1024 * 1024,
    "unclean.leader.election.enable": false,
  };
}

function listeners(name: string, address: Address): Record<string, unknown> {
  return {
    listeners: `${name}://0.0.0.0:${address.port}`,
    "advertised.listeners": `${name}://${addressText(address)}`,
  };
}

/** Returns an address in the form `host:port`. */
export function addressText({ host, port }: Address): string {
  return `${host}:${port}`;
}

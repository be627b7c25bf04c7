import type { DeepReadonly } from "homeostat";
import type { EnvVar } from "@homeostat/kubernetes/core/v1";
import type { Component } from "../api/identity.ts";
import { names, ports, serviceHost } from "../api/names.ts";
import type { OwnedVariable } from "../api/variables.ts";
import { bindAddresses, dataFolder, indexFolder, metadataFolder } from "./config-files.ts";
import type { ResolvedCluster } from "./resolve.ts";
import { secretKeys } from "./secrets.ts";

export const configFolder = "/etc/chronik/config";
export const tlsFolder = "/etc/chronik/tls";
export const gcsFolder = "/etc/chronik/gcs";

type Variable = DeepReadonly<EnvVar>;

/** Builds the environment of a container: the variables of the operator, in an order in which later ones may use earlier ones, then those of the user. */
export function environment(resolved: ResolvedCluster, component: Component): Variable[] {
  return [
    ...podVariables(component),
    ...clusterVariables(resolved, component),
    ...storageVariables(resolved, component),
    ...securityVariables(resolved),
    ...tuningVariables(resolved, component),
    ...resolved.components[component].env.map(({ name, value, valueFromSecret }) =>
      valueFromSecret === undefined
        ? // The API server drops an empty value. A desired object with one would always differ from the live object.
          { name, ...(value !== undefined && value !== "" && { value }) }
        : { name, valueFrom: { secretKeyRef: { name: valueFromSecret.name, key: valueFromSecret.key } } },
    ),
  ];
}

function fromField(name: OwnedVariable, fieldPath: string): Variable {
  return { name, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } };
}

function fromSecret(name: OwnedVariable, secret: string, key: string): Variable {
  return { name, valueFrom: { secretKeyRef: { name: secret, key, optional: false } } };
}

/** Returns variables with values. Undefined values are omitted. */
function texts(values: Readonly<Partial<Record<OwnedVariable, string | undefined>>>): Variable[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function podVariables(component: Component): Variable[] {
  return [
    fromField("POD_NAME", "metadata.name"),
    fromField("POD_NAMESPACE", "metadata.namespace"),
    fromField("POD_IP", "status.podIP"),
    fromField("NODE_NAME", "spec.nodeName"),
    ...(component === "search"
      ? []
      : [fromField("CHRONIK_POD_INDEX", "metadata.labels['apps.kubernetes.io/pod-index']")]),
  ];
}

function clusterVariables(resolved: ResolvedCluster, component: Component): Variable[] {
  const service = (name: Component): string => serviceHost(resolved, names.component(resolved.name, name));
  const controllers = component === "controller" ? undefined : `${service("controller")}:${ports.controller}`;
  return texts({
    CHRONIK_ROLE: component,
    CHRONIK_CLUSTER_NAME: resolved.name,
    CHRONIK_NAMESPACE: resolved.namespace,
    CHRONIK_CONFIG_PATH: configFolder,
    CHRONIK_CONFIG_FILE: `${configFolder}/${component === "search" ? "search" : "$(POD_NAME)"}.toml`,
    CHRONIK_CONTROLLER_SERVICE: controllers,
    CONTROLLER_ADDR: controllers,
    CHRONIK_ADVERTISE: component === "search" ? undefined : `$(POD_NAME).${service(component)}`,
    BIND_ADDRESS: bindAddresses[component],
    METRICS_PORT: String(ports.metrics),
    HEALTH_PORT: String(ports.health),
  });
}

function storageVariables({ storage, metastore }: ResolvedCluster, component: Component): Variable[] {
  const { postgres, pdEndpoints } = metastore;
  const { username, password } = secretKeys.credentials;
  return [
    ...texts({
      STORAGE_PATH: dataFolder,
      METADATA_PATH: component === "controller" ? metadataFolder : undefined,
      INDEX_PATH: component === "search" ? indexFolder : undefined,
    }),
    ...(postgres === undefined
      ? []
      : [
          fromSecret("DATABASE_USER", postgres.credentialsSecret, username),
          fromSecret("DATABASE_PASSWORD", postgres.credentialsSecret, password),
        ]),
    ...texts({ TIKV_PD_ENDPOINTS: pdEndpoints.length === 0 ? undefined : pdEndpoints.join(",") }),
    ...(component === "controller" ? [] : objectStoreVariables(storage)),
  ];
}

function objectStoreVariables({ backend, s3, gcs, azure }: ResolvedCluster["storage"]): Variable[] {
  return [
    ...texts({
      OBJECT_STORE_BACKEND: backend,
      S3_BUCKET: s3?.bucket,
      S3_REGION: s3?.region,
      S3_ENDPOINT: s3?.endpoint,
      S3_PREFIX: s3?.prefix,
      S3_PATH_STYLE: s3 === undefined ? undefined : String(s3.pathStyle),
    }),
    ...(s3?.credentialsSecret === undefined
      ? []
      : [
          fromSecret("S3_ACCESS_KEY", s3.credentialsSecret, secretKeys.s3.accessKey),
          fromSecret("S3_SECRET_KEY", s3.credentialsSecret, secretKeys.s3.secretKey),
        ]),
    ...texts({
      GCS_BUCKET: gcs?.bucket,
      GCS_PREFIX: gcs?.prefix,
      GOOGLE_APPLICATION_CREDENTIALS:
        gcs?.credentialsSecret === undefined ? undefined : `${gcsFolder}/${secretKeys.gcs.credentials}`,
      AZURE_CONTAINER: azure?.container,
      AZURE_ACCOUNT: azure?.account,
      AZURE_PREFIX: azure?.prefix,
    }),
    ...(azure?.credentialsSecret === undefined
      ? []
      : [fromSecret("AZURE_ACCOUNT_KEY", azure.credentialsSecret, secretKeys.azure.accountKey)]),
  ];
}

function securityVariables({ security: { tls, adminApiKey } }: ResolvedCluster): Variable[] {
  const { certificate, key, authority } = secretKeys.tls;
  return [
    ...(tls === undefined
      ? []
      : texts({
          TLS_CERT_PATH: `${tlsFolder}/${certificate}`,
          TLS_KEY_PATH: `${tlsFolder}/${key}`,
          TLS_CA_PATH: tls.isMutual ? `${tlsFolder}/${authority}` : undefined,
          TLS_REQUIRE_CLIENT_CERT: String(tls.isMutual),
        })),
    ...(adminApiKey === undefined ? [] : [fromSecret("CHRONIK_ADMIN_API_KEY", adminApiKey.name, adminApiKey.key)]),
  ];
}

function tuningVariables({ tuning, monitoring }: ResolvedCluster, component: Component): Variable[] {
  const { schemaRegistry, vectorSearch } = tuning;
  const { username, password } = secretKeys.credentials;
  const registrySecret = component === "ingest" ? schemaRegistry.credentialsSecret : undefined;
  const hasVectors = component === "search" && vectorSearch.enabled;
  const embeddingKey = component === "search" ? vectorSearch.apiKeySecret : undefined;
  return [
    ...(component === "ingest"
      ? texts({
          CHRONIK_WAL_PROFILE: tuning.walProfile,
          CHRONIK_PRODUCE_PROFILE: tuning.produceProfile,
          CHRONIK_REPLICATION_FACTOR: String(tuning.replicationFactor),
          CHRONIK_MIN_INSYNC_REPLICAS: String(tuning.minInsyncReplicas),
        })
      : []),
    ...(registrySecret === undefined
      ? []
      : [
          fromSecret("SCHEMA_REGISTRY_USERNAME", registrySecret, username),
          fromSecret("SCHEMA_REGISTRY_PASSWORD", registrySecret, password),
        ]),
    ...(hasVectors ? texts({ EMBEDDING_PROVIDER: vectorSearch.provider, EMBEDDING_MODEL: vectorSearch.model }) : []),
    ...(embeddingKey === undefined ? [] : [fromSecret("EMBEDDING_API_KEY", embeddingKey.name, embeddingKey.key)]),
    ...texts({
      RUST_LOG: tuning.logLevel,
      CHRONIK_LOG_LEVEL: tuning.logLevel,
      OTEL_EXPORTER_OTLP_ENDPOINT: monitoring.tracing ? monitoring.otlpEndpoint : undefined,
      OTEL_SERVICE_NAME: monitoring.tracing ? `chronik-${component}` : undefined,
    }),
  ];
}

export {
  annotations,
  configMapName,
  labels,
  previewKeysKey,
  previewKeysName,
  systemNamespace,
  tunnelSecret,
} from "./api/identity.ts";
export { durationSeconds } from "./api/duration.ts";
export { createdByAnnotation, creatorOf } from "./api/created-by.ts";
export {
  type ConnectionMode,
  localPortOf,
  LocalWorkload,
  type LocalWorkloadInput,
  type MachineStatus,
} from "./api/local-workload.ts";
export { PreviewLink } from "./api/preview-link.ts";
export { RouteGroup, type RouteGroupInput } from "./api/route-group.ts";
export { RouteTable, type RouteTableInput, type TableHost } from "./api/route-table.ts";
export { usedTokensMax } from "./api/route-table-hosts.ts";
export { Sandbox, type SandboxInput } from "./api/sandbox.ts";
export { SandboxPolicy, type SandboxPolicyInput } from "./api/sandbox-policy.ts";
export { routeServerDefinition } from "./install/route-server.ts";
export { tunnelDefinition } from "./install/tunnel.ts";
export { isLocalAllowed, isOutboundAllowedBy } from "./policy/outbound.ts";
export { tunnelFlags, tunnelPorts, type TunnelSettings } from "./settings/tunnel-flags.ts";
export { routeServerFlags, type RouteServerSettings } from "./settings/route-server-flags.ts";
export {
  type EndpointState,
  hostsVersion,
  type PublishedEndpoint,
  publishedEndpoints,
} from "./api/published-endpoints.ts";
export { type EndpointTarget, parseEndpointTarget } from "./api/spec-endpoint.ts";
export type { OperatorConfig } from "./settings/config.ts";
export { ConfigSource, type ConfigUpdate } from "./settings/config-source.ts";
export { configWatch, type ConfigWatchOptions } from "./settings/config-watch.ts";
export { sandboxOperator, type SandboxOperatorOptions } from "./operator.ts";
export { defaultConfig, describeConfigProblems, type ParsedConfig, parseConfig } from "./settings/config.ts";
export {
  checkManifest,
  type CheckManifestOptions,
  isCheckedKind,
  type ManifestCheck,
} from "./webhooks/check-manifest.ts";
export { type OwnUser, readOwnUser } from "./webhooks/own-user.ts";
export { type DiscoveryEnd, discoveryPath, DiscoveryStream, refuseDiscovery } from "./envoy/discovery-stream.ts";
export type { EnvoyState, Rejection } from "./envoy/discovery-session.ts";
export { type EnvoyInput, type EnvoyOutput, type EnvoyResource, renderEnvoy } from "./render/envoy.ts";
export { selectsPods } from "./api/pod-selector.ts";
export { type Baseline, readBaseline, workloadRefOf } from "./build/baseline.ts";
export { baselineServiceName, tunnelName } from "./api/names.ts";
export {
  isRestorable,
  isTakenOver,
  type RestoreAllOptions,
  restoreAllServices,
  type RestoreResult,
  restoreService,
} from "./reconcile/restore-services.ts";
export { compileMatch, effectiveLabels, type LabelTest, type MatchNode } from "./routes/match.ts";
export { viewService } from "./build/service-view.ts";
export { diffObjects, formatDiff } from "./build/template-diff.ts";
export { Rollout } from "./observe/rollout.ts";

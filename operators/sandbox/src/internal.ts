// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// The operator
export { sandboxOperator } from "./operator.ts";

// Routes
export { compileAll } from "./routes/compile-all.ts";
export { RouteCompiler } from "./routes/compiler.ts";
export type { RouteGroupView, SandboxView, ServiceView } from "./routes/views.ts";

// Kinds and forks
export { kinds } from "./api/kinds.ts";
export { proxyName } from "./api/names.ts";
export { deriveFork } from "./build/derive-fork.ts";
export { isRefusal } from "./build/refusal.ts";

// Routes of Envoy
export { EnvoyFiles } from "./envoy/envoy-files.ts";
export { envoyBootstrap, type EnvoySource } from "./render/envoy-bootstrap.ts";
export { envoyLimitations, type EnvoyOutput, renderEnvoy } from "./render/envoy.ts";
export type { LimitationName } from "./render/limitation.ts";
export { DiscoveryServer } from "./envoy/discovery-server.ts";

// Routes of meshes
export { GRPCRoute, HTTPRoute, VirtualService } from "./observe/mesh-kinds.ts";
export { renderGatewayApi } from "./render/gateway-api.ts";
export { renderVirtualService } from "./render/istio.ts";
export { insertRoutes } from "./render/istio-insertion.ts";

// Messages of Envoy, for clients in tests
export { resourceTypes } from "./envoy/discovery-messages.ts";
export { frameMessage, MessageReader } from "./envoy/grpc-frames.ts";
export { bytesField, readFields, textField } from "./envoy/protobuf.ts";

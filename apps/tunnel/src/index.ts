export { tunnelOperator, type TunnelOperatorOptions } from "./operator.ts";
export { TunnelServer, type TunnelServerOptions } from "./tunnel-server.ts";

// The route server as a part of another program: `npm start` runs it in its own process.

export { routeServerOperator } from "./operator.ts";
export type { ListeningServers } from "./route-server.ts";

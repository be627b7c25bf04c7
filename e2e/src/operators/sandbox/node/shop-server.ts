// The program of the shop's pods: responds with its version and the path of the request.

import { createServer } from "node:http";

const { VERSION = "", PORT = "8080" } = process.env;

const server = createServer((request, response) => response.end(`${VERSION} ${request.url}`));
server.listen(Number(PORT));
process.on("SIGTERM", () => {
  server.close();
  server.closeIdleConnections();
});

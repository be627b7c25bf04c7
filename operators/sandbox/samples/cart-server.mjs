// The cart as a developer runs it: responds to every request, and calls the Service orders of the cluster before.

import { createServer, get } from "node:http";

const { PORT = "", ORDERS_URL = "", HTTP_PROXY = "" } = process.env;

createServer((_request, response) => {
  // Many HTTP clients read HTTP_PROXY by themselves. That of Node has to be configured.
  const { hostname, port } = new URL(HTTP_PROXY);
  const call = get({ hostname, port, path: ORDERS_URL, headers: { host: new URL(ORDERS_URL).host } }, (orders) => {
    orders.resume();
    response.end(`cart on this machine, orders responded with ${orders.statusCode}\n`);
  });
  call.on("error", (error) => response.writeHead(502).end(`${error.message}\n`));
}).listen(Number(PORT), "127.0.0.1");

// The process on the machine of a developer: responds with the word laptop and the path. For the path /call it calls the Service cart of its namespace
// through the HTTP proxy that sandboxctl gives it, and passes the response on.

import { createServer, request } from "node:http";

const { HTTP_PROXY = "", PORT = "" } = process.env;
const proxy = new URL(HTTP_PROXY);

const server = createServer((incoming, response) => {
  if (incoming.url !== "/call") {
    response.end(`laptop ${incoming.url}`);
    return;
  }
  const outgoing = request(
    { host: proxy.hostname, port: proxy.port, path: "http://cart.shop.svc/called", headers: { host: "cart.shop.svc" } },
    (called) => called.pipe(response),
  );
  outgoing.on("error", (error) => response.writeHead(502).end(String(error)));
  outgoing.end();
});
server.listen(Number(PORT), "127.0.0.1");

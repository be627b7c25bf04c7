// The process on the machine of a developer: responds with the name of the laptop and the path. Other responses:
//
//   /call           the response of the Service cart, called through the HTTP proxy that sandboxctl gives to the process
//   /direct/HOST    whether the laptop reaches a host without the proxy: "connected", or the code of the error
//   POST /bytes     the hash of the request's body
//   GET /bytes      a large body

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { hashOf, largeBody } from "./laptop-bytes.ts";

const { HTTP_PROXY = "", LAPTOP = "", PORT = "" } = process.env;
const proxy = new URL(HTTP_PROXY);

const server = createServer((incoming, response) => {
  const { method = "", url = "" } = incoming;
  if (url === "/call") call(response);
  else if (url.startsWith("/direct/")) reach(url.slice("/direct/".length), response);
  else if (url === "/bytes" && method === "POST") void hash(incoming, response);
  else if (url === "/bytes") response.end(largeBody());
  else response.end(`${LAPTOP} ${url}`);
});
server.listen(Number(PORT), "127.0.0.1");

function call(response: ServerResponse): void {
  const outgoing = request(
    { host: proxy.hostname, port: proxy.port, path: "http://cart.shop.svc/called", headers: { host: "cart.shop.svc" } },
    (called) => called.pipe(response),
  );
  outgoing.on("error", (error) => response.writeHead(502).end(String(error)));
  outgoing.end();
}

function reach(host: string, response: ServerResponse): void {
  const socket = connect({ host, port: 80 });
  socket.once("connect", () => {
    socket.destroy();
    response.end("connected");
  });
  socket.once("error", (error) => response.end("code" in error ? String(error.code) : error.message));
}

async function hash(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  response.end(await hashOf(incoming));
}

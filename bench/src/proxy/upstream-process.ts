// A server that responds 1 KiB to every request without a body, at a cost far below that of a proxy. Usage: node upstream-process.js PORT
import { createServer } from "node:net";

const body = "x".repeat(1024);
const response = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);
const headEnd = Buffer.from("\r\n\r\n");

createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    // Each head arrives in one piece: proxies write it at once.
    for (let at = chunk.indexOf(headEnd); at !== -1; at = chunk.indexOf(headEnd, at + 4)) socket.write(response);
  });
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));

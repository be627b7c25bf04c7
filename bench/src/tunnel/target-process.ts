// The server behind the tunnels: reads requests of a given length, and sends responses of a given length.
//
//   target-process.js PORT

import { createServer, type Socket } from "node:net";
import { decodeHead, headBytes, writeBody } from "./target-protocol.ts";

const [port] = process.argv.slice(2);

process.stdin.resume().on("end", () => process.exit());
createServer({ noDelay: true }, serve).listen(Number(port), "127.0.0.1");

function serve(socket: Socket): void {
  const head = Buffer.alloc(headBytes);
  let headLength = 0;
  let requestLeft = 0;
  let responseLeft = 0;

  const respond = (): void => {
    responseLeft = writeBody(responseLeft, (chunk) => socket.write(chunk));
  };

  socket.on("error", () => socket.destroy());
  socket.on("drain", respond);
  socket.on("data", (chunk: Buffer) => {
    for (let at = 0; at < chunk.length;) {
      if (headLength < headBytes) {
        const copied = chunk.copy(head, headLength, at, at + headBytes - headLength);
        headLength += copied;
        at += copied;
        if (headLength < headBytes) return;
        ({ requestBytes: requestLeft, responseBytes: responseLeft } = decodeHead(head));
      }
      const taken = Math.min(requestLeft, chunk.length - at);
      requestLeft -= taken;
      at += taken;
      if (requestLeft > 0) return;
      headLength = 0;
      respond();
    }
  });
}

// Opens a stream over a connection between two sessions, as a tunnel does, and sends its data back.
//
// Prints:
//   response: hello
//   stream finished

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { systemClock as clock } from "@homeostat/core";
import { type MuxStream, Session, SocketCarrier } from "@homeostat/tunnel";

const listener = createServer();
const connection = new Promise<Socket>((resolve) => listener.once("connection", resolve));
listener.listen(0, "127.0.0.1");
await once(listener, "listening");
const bound = listener.address();
if (bound === null || typeof bound === "string") throw new Error("the server does not listen on a port");
const connected = connect({ port: bound.port, host: "127.0.0.1" });
const accepted = await connection;
listener.close();

/** Sends the data of a stream back, and ends it. */
function onStream(stream: MuxStream): void {
  stream.accept();
  stream.handle({
    data: (chunk) => {
      stream.consumed(chunk.length);
      stream.write(chunk);
      stream.end();
    },
    ended: () => undefined,
    drained: () => undefined,
    closed: () => server.close(),
  });
}
const onEnd = (): void => undefined;

// region: session
const server = Session.start({ side: "server", carrier: new SocketCarrier(accepted), clock, onStream, onEnd });
const client = Session.start({ side: "client", carrier: new SocketCarrier(connected), clock, onStream, onEnd });

const stream = client.open({
  data: (chunk) => {
    console.log(`response: ${chunk.toString()}`);
    stream.consumed(chunk.length);
  },
  ended: () => stream.end(),
  drained: () => undefined,
  closed: (reason) => console.log(`stream ${reason}`),
});
stream.write(Buffer.from("hello"));
// endregion

// Sends a request with a deadline to a server that never responds.
//
// Prints:
//   DEADLINE after 50 ms

import { createServer } from "node:http";
import { DeadlineError, systemClock } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";

const silent = createServer(() => undefined);
await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
const address = silent.address();
const port = typeof address === "object" && address !== null ? address.port : 0;

// region: send
using timeout = systemClock.timeout(50);
try {
  const { status, body } = await sendHttp({
    method: "GET",
    host: "127.0.0.1",
    port,
    path: "/",
    signal: timeout.signal,
    bodyBytesMax: 65_536,
  });
  console.log(`${status} with ${body.length} bytes`);
} catch (error) {
  if (!(error instanceof DeadlineError)) throw error;
  console.log(`${error.code} after 50 ms`);
}
// endregion

silent.closeAllConnections();
silent.close();

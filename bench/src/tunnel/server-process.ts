// The tunnel server as its program runs it, on the loopback interface only. Takes the flags of the program, prints `port NUMBER` when it listens for
// clients, and exits when its standard input ends.

import { runOperator } from "@homeostat/operator";
import { tunnelOperator } from "@homeostat/sandbox-tunnel";

process.stdin.resume().on("end", () => process.exit());
process.exitCode = await runOperator(
  tunnelOperator({ host: "127.0.0.1", onListening: (_server, port) => console.log(`port ${port}`) }),
);

// A delay line between the ends of a tunnel: forwards every byte a given time after it arrived, in both directions.
//
//   delay-process.js PORT TO_PORT DELAY_MS

import { connect, createServer, type Socket } from "node:net";

const [port = "", to = "", delay = ""] = process.argv.slice(2);
const delayMs = Number(delay);

process.stdin.resume().on("end", () => process.exit());
createServer({ noDelay: true }, (accepted) => {
  const connected = connect({ port: Number(to), host: "127.0.0.1", noDelay: true });
  forward(accepted, connected);
  forward(connected, accepted);
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));

/** Forwards without a limit of what is on its way: the windows of the tunnel are the limit, as on a fast network. */
function forward(from: Socket, into: Socket): void {
  const waiting: { readonly chunk: Buffer; readonly dueMs: number }[] = [];
  let isScheduled = false;
  const deliver = (): void => {
    isScheduled = false;
    const now = performance.now();
    let count = 0;
    into.cork();
    for (; (waiting[count]?.dueMs ?? Infinity) <= now; count += 1) into.write(waiting[count]?.chunk ?? "");
    into.uncork();
    waiting.splice(0, count);
    schedule();
  };
  const schedule = (): void => {
    const [next] = waiting;
    if (isScheduled || next === undefined) return;
    isScheduled = true;
    setTimeout(deliver, Math.max(1, next.dueMs - performance.now()));
  };
  from.on("data", (chunk: Buffer) => {
    waiting.push({ chunk, dueMs: performance.now() + delayMs });
    schedule();
  });
  from.on("error", () => into.destroy());
  from.on("close", () => into.destroy());
}

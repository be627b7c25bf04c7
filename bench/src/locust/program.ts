// The operator as its image runs it, with a count of what it sends: program.js KUBECONFIG NAMESPACE

import { writeHeapSnapshot } from "node:v8";
import { connect, loadConnection, type Transport } from "@homeostat/client";
import { locustOperator, readConfig } from "@homeostat/locust-operator";
import { createOperatorManager } from "@homeostat/operator";
import { pinoLogger, runUntilSignal } from "@homeostat/runtime";
import type { Order, Told } from "./protocol.ts";
import { RequestCount } from "./request-count.ts";

const [file = "", namespace = "default"] = process.argv.slice(2);
const count = new RequestCount();

function tell(told: Told): void {
  process.send?.(told);
}

process.on("message", (order: Order) => {
  if (order === "report") tell({ is: "report", ...count.take() });
  else {
    const memory = process.memoryUsage();
    writeHeapSnapshot(order.slice("heap ".length));
    tell({ is: "heap", memory });
  }
});
process.once("disconnect", () => process.exit(3));

const sockets = connect(await loadConnection({ file }));
const counted: Transport = {
  send(request) {
    const { method, path, body = "" } = request;
    count.add({ method, path, body: typeof body === "string" ? body : Buffer.from(body).toString() });
    return sockets.send(request);
  },
};

const manager = createOperatorManager(locustOperator(readConfig(process.env)), {
  connection: counted,
  run: {
    namespace,
    leaderElect: true,
    webhooks: false,
    metricsBindAddress: "0",
    healthProbeBindAddress: "127.0.0.1:0",
  },
  log: await pinoLogger({ level: "info" }),
});
const looking = setInterval(() => {
  if (!manager.isLeading || manager.readyChecks().some((check) => check.problem() !== undefined)) return;
  clearInterval(looking);
  tell({ is: "ready" });
}, 50);
// Whoever started this still listens, and would keep it from ending by itself.
process.exit(await runUntilSignal(manager));

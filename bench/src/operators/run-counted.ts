import { writeHeapSnapshot } from "node:v8";
import { connect, loadConnection, type Transport } from "@homeostat/client";
import { createOperatorManager, type Operator } from "@homeostat/operator";
import { pinoLogger, runUntilSignal } from "@homeostat/runtime";
import type { Order, Told } from "./protocol.ts";
import { RequestCount } from "./request-count.ts";

/** Runs an operator as its image does, with a count of what it sends, for the words `KUBECONFIG NAMESPACE`. Ends the process. */
export async function runCounted(operator: Operator, words: readonly string[]): Promise<never> {
  const [file = "", namespace = "default"] = words;
  const count = new RequestCount();
  process.on("message", (order: Order) => {
    if (order === "report") return tell({ is: "report", ...count.take() });
    const memory = process.memoryUsage();
    writeHeapSnapshot(order.slice("heap ".length));
    tell({ is: "heap", memory });
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
  const manager = createOperatorManager(operator, {
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
}

function tell(told: Told): void {
  process.send?.(told);
}

import { writeHeapSnapshot } from "node:v8";
import { connect, loadConnection, type Transport } from "@homeostat/client";
import { createOperatorManager, type Operator } from "@homeostat/operator";
import { pinoLogger, runUntilSignal } from "@homeostat/runtime";
import type { OperatorCommand, OperatorMessage } from "./protocol.ts";
import { RequestCount } from "./request-count.ts";

/** Runs an operator as its image does and counts its requests. Arguments: `KUBECONFIG NAMESPACE [METRICS-ADDRESS]`. Exits the process. */
export async function runCounted(
  operator: Operator,
  argv: readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<never> {
  const [file = "", namespace = "default", metricsBindAddress = "0"] = argv;
  const count = new RequestCount();
  process.on("message", (command: OperatorCommand) => {
    if (command === "report") return send({ is: "report", ...count.take() });
    const memory = process.memoryUsage();
    writeHeapSnapshot(command.slice("heap ".length));
    send({ is: "heap", memory });
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
      metricsBindAddress,
      metricsSecure: false,
      healthProbeBindAddress: "127.0.0.1:0",
    },
    settings,
    log: await pinoLogger({ level: "info" }),
  });
  const timer = setInterval(() => {
    if (!manager.isLeading || manager.readyChecks().some((check) => check.problem() !== undefined)) return;
    clearInterval(timer);
    send({ is: "ready" });
  }, 50);
  // The IPC channel to the parent would keep the process alive.
  process.exit(await runUntilSignal(manager));
}

function send(message: OperatorMessage): void {
  process.send?.(message);
}

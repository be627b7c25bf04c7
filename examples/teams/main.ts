// Runs the Team controller with a manager created here. Most programs only need `runOperator`.

// region: main
import { createManager, loadConnection, runUntilSignal } from "homeostat";
import { teams } from "./teams.ts";

const manager = createManager({
  name: "teams",
  connection: await loadConnection(),
  namespace: "default",
  controllers: [teams],
  leaderElection: { name: "teams", leaseDurationMs: 15_000 },
  http: { port: Number(process.env["PORT"] ?? 8081) },
  graceMs: 10_000,
});

process.exitCode = await runUntilSignal(manager);
// endregion

import {
  type AppModel,
  imageBaseName,
  type ProgramContext,
  type RunningProgram,
  serveHttp,
  serveTcp,
} from "@homeostat/cluster/app-model";
import { parseArguments } from "./arguments.ts";
import { LocustMaster } from "./master.ts";
import { addMaster } from "./masters.ts";
import { LocustProcess } from "./process.ts";
import { handleWebRequest, locustVersion } from "./web.ts";
import { LocustWorker } from "./worker.ts";

/**
 * Simulates Locust: a master with its web API, its workers, or a single process. It sends no requests; the statistics are
 * computed from the number of users, the spawn rate and the time.
 *
 * Options: `failRatio` (0 to 1), `responseTime` (milliseconds), `requestsPerUser` (per second), `exitCode`.
 */
export const locustModel: AppModel = {
  name: "locust",
  runs: ({ image, command }) => {
    const [program = ""] = command;
    return imageBaseName(image) === "locust" && (program === "" || /(?:^|\/)locust$/.test(program));
  },
  start: (context) => {
    const args = parseArguments([...context.container.command, ...context.container.args], context.env);
    const process = new LocustProcess(context, args);
    if (args.problem !== undefined) {
      context.print(args.problem);
      context.exit({ exitCode: 1 });
      return { terminate: () => undefined, kill: () => undefined };
    }
    process.log("main", `Starting Locust ${locustVersion}`);
    return args.role === "worker" ? startWorker(process, context) : startMaster(process, context);
  },
};

function startWorker(process: LocustProcess, { exit }: ProgramContext): RunningProgram {
  const worker = new LocustWorker(process, (exitCode) => exit({ exitCode }));
  worker.start();
  return { servesPorts: true, terminate: () => worker.terminate(), kill: () => worker.kill() };
}

function startMaster(process: LocustProcess, context: ProgramContext): RunningProgram {
  const { args } = process;
  const open: Disposable[] = [];
  const close = (): void => {
    process.end();
    for (const one of open.splice(0)) one[Symbol.dispose]();
  };
  const master = new LocustMaster(process, (exitCode) => {
    close();
    context.exit({ exitCode });
  });
  if (!args.isHeadless) {
    process.log(
      "main",
      `Starting web interface at http://0.0.0.0:${args.webPort}${args.webBasePath}, press enter to open your default browser.`,
    );
    open.push(serveHttp(context, args.webPort, (request) => handleWebRequest(master, request)));
  }
  if (master.isDistributed) {
    for (const port of [args.bindPort, args.bindPort + 1])
      open.push(serveTcp(context, port, (socket) => socket.resume()));
    open.push(addMaster(context.network, { ip: context.pod.ip, port: args.bindPort }, master));
  }
  master.start();
  return { servesPorts: true, terminate: () => master.terminate(), kill: close };
}

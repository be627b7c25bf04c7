import {
  type AppModel,
  imageBaseName,
  type ProgramContext,
  type RunningProgram,
  serveHttp,
  serveTcp,
} from "@homeostat/cluster/app-model";
import { readArguments } from "./arguments.ts";
import { LocustMaster } from "./master.ts";
import { addMaster } from "./masters.ts";
import { LocustProcess } from "./process.ts";
import { answerWeb, locustVersion } from "./web.ts";
import { LocustWorker } from "./worker.ts";

/**
 * Locust: a master with its web API, its workers, or one process for all. It sends no requests; its numbers follow the users,
 * the spawn rate and the time.
 *
 * Options: `failRatio` (0 to 1), `responseTime` (milliseconds), `requestsPerUser` (in a second), `exitCode`.
 */
export const locustModel: AppModel = {
  name: "locust",
  runs: ({ image, command }) => {
    const [program = ""] = command;
    return imageBaseName(image) === "locust" && (program === "" || /(?:^|\/)locust$/.test(program));
  },
  start: (context) => {
    const args = readArguments([...context.container.command, ...context.container.args], context.env);
    const process = new LocustProcess(context, args);
    if (args.problem !== undefined) {
      context.print(args.problem);
      context.exit({ exitCode: 1 });
      return { terminate: () => undefined, kill: () => undefined };
    }
    process.say("main", `Starting Locust ${locustVersion}`);
    return args.role === "worker" ? startWorker(process, context) : startMaster(process, context);
  },
};

function startWorker(process: LocustProcess, { exit }: ProgramContext): RunningProgram {
  const worker = new LocustWorker(process, (exitCode) => exit({ exitCode }));
  worker.begin();
  return { servesPorts: true, terminate: () => worker.terminate(), kill: () => worker.vanish() };
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
    process.say(
      "main",
      `Starting web interface at http://0.0.0.0:${args.webPort}${args.webBasePath}, press enter to open your default browser.`,
    );
    open.push(serveHttp(context, args.webPort, (request) => answerWeb(master, request)));
  }
  if (master.isDistributed) {
    for (const port of [args.bindPort, args.bindPort + 1])
      open.push(serveTcp(context, port, (socket) => socket.resume()));
    open.push(addMaster(context.network, { ip: context.pod.ip, port: args.bindPort }, master));
  }
  master.begin();
  return { servesPorts: true, terminate: () => master.terminate(), kill: close };
}

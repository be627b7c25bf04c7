import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { repository } from "../harness/repository.ts";

/** The registry of a checkout, as a user starts it before the packages are published. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
}

/** The command of the guide that starts the registry. */
export const registryCommand = "npm run release:registry";

/** Runs the command of the guide, on a free port. */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const child = spawn("bash", ["-c", `exec ${registryCommand} -- --port 0`], {
    cwd: repository,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    const url = /config set registry (\S+) /.exec(line)?.[1];
    if (url !== undefined) return { url, [Symbol.asyncDispose]: () => stop(child) };
  }
  throw new Error(`${registryCommand} ended:\n${output}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, "exit");
  // npm runs the program in a shell, so the whole process group is stopped.
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

/** Waits until a process listens on a port. Rejects if it exits. */
export async function untilOpen(name: string, port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`);
    const socket = connect({ port, host: "127.0.0.1" });
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await setTimeout(100);
  }
  throw new Error(`${name} does not listen on port ${port}`);
}

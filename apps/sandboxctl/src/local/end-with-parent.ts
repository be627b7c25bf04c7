import { spawn } from "node:child_process";

/**
 * Waits for a line on its input. The end of the input without one means that the parent was killed: then ends the process `$1` with SIGTERM, and after 10
 * seconds with SIGKILL.
 */
const watcher = `read -r line || {
  kill -TERM "$1"
  for second in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$1" || exit 0
    sleep 1
  done
  kill -KILL "$1"
}`;

/**
 * Ends a process if this one is killed by SIGKILL, which it cannot handle itself: a command must not serve requests without its tunnel, or keep its
 * port. A shell waits for the end of this process. It has its own session, so an interrupt of the terminal does not end it first. Not on Windows,
 * which has no `sh`.
 *
 * Returns a function that ends the watch. Call it when the process has ended: another process may get its id.
 */
export function endWithParent(pid: number): () => void {
  if (process.platform === "win32") return () => undefined;
  const shell = spawn("sh", ["-c", watcher, "sh", String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell, the command is not ended with this process. Everything else works.
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  return () => void shell.stdin.end("done\n");
}

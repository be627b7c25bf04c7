import { spawn } from "node:child_process";
import type { DevProject } from "./project.ts";

/** Result of a build: the output of the compiler if it has failed. */
export interface BuildResult {
  readonly isDone: boolean;
  readonly output: string;
}

/** Compiles the program. With a state file, the compiler of the project compiles only what has changed since the last build. */
export function buildProject(
  { build, folder }: Pick<DevProject, "build" | "folder">,
  { stateFile, signal }: { readonly stateFile: string; readonly signal: AbortSignal },
): Promise<BuildResult> {
  if (build === undefined) return Promise.resolve({ isDone: true, output: "" });
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, signal, stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"] };
    const child =
      "shell" in build
        ? spawn(build.shell, { ...options, shell: true })
        : spawn(process.execPath, [build.compiler, "--incremental", "--tsBuildInfoFile", stateFile], options);
    let output = "";
    const collect = (piece: Buffer): void => void (output += piece.toString("utf8"));
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", (code) => resolve({ isDone: code === 0, output: output.trim() }));
  });
}

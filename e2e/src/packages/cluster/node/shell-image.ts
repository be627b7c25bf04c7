// An image with a shell and a few commands, for short-lived containers.

import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { copyProgram, importImage } from "../../../harness/local-image.ts";

/** Name of the image. */
export const shellImage = "docker.io/local/shell:1";

const programs = ["sh", "sleep", "cat", "touch", "rm", "true", "false"];

/** Imports the image into the node of a cluster started here. */
export function importShellImage(kubeconfigPath: string): void {
  importImage(kubeconfigPath, { name: shellImage, entrypoint: ["sh"] }, (folder) => {
    symlinkSync("usr/bin", join(folder, "bin"));
    for (const program of programs) copyProgram(placeOf(program), folder, program);
  });
}

function placeOf(name: string): string {
  const path = execFileSync("sh", ["-c", `command -v -- "$1" || true`, "sh", name], { encoding: "utf8" }).trim();
  const program = [path, `/usr/bin/${name}`, `/bin/${name}`].find((one) => one.startsWith("/") && existsSync(one));
  if (program === undefined) throw new Error(`the program ${name} is not installed`);
  return program;
}

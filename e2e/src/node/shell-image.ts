// An image with a shell and a few commands, made of this machine's own programs: enough for containers that come and go.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The name of the image. */
export const shellImage = "docker.io/local/shell:1";

const programs = ["sh", "sleep", "cat", "touch", "rm", "true", "false"];
const tool = fileURLToPath(new URL("../../../tools/kube/dist/main.js", import.meta.url));

/** Puts the image into the node of a cluster that was started here. */
export function importShellImage(kubeconfigPath: string): void {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-shell-"));
  try {
    mkdirSync(join(folder, "usr/bin"), { recursive: true });
    mkdirSync(join(folder, "tmp"));
    symlinkSync("usr/bin", join(folder, "bin"));
    for (const program of programs) copyProgram(program, folder);
    const cluster = basename(dirname(kubeconfigPath));
    execFileSync(process.execPath, [tool, "image", "dir", shellImage, folder, '["sh"]', "--name", cluster], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyProgram(name: string, folder: string): void {
  const path = execFileSync("sh", ["-c", `command -v -- "$1" || true`, "sh", name], { encoding: "utf8" }).trim();
  const program = [path, `/usr/bin/${name}`, `/bin/${name}`].find((one) => one.startsWith("/") && existsSync(one));
  if (program === undefined) throw new Error(`there is no ${name} on this machine`);
  copyFileSync(program, join(folder, "usr/bin", name));
  for (const [, library = ""] of execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+\.so\S*)/g)) {
    const target = join(folder, library);
    mkdirSync(dirname(target), { recursive: true });
    if (!existsSync(target)) copyFileSync(library, target);
  }
}

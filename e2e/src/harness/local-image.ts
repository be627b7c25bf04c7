// Builds images from programs of this machine and imports them into the node of a cluster started here, without a registry.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { repository } from "./repository.ts";

const tool = join(repository, "tools/kube/dist/main.js");

/** Name, entrypoint and user of an image. */
export interface Image {
  readonly name: string;
  readonly entrypoint: readonly string[];
  /** Numeric user and group, such as `65532:65532`. Default: root. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Imports an image into a node; `fill` writes its files into a folder. */
export function importImage(kubeconfigPath: string, image: Image, fill: (folder: string) => void): void {
  const { name, entrypoint, user, env = {} } = image;
  const folder = mkdtempSync(join(tmpdir(), "homeostat-image-"));
  try {
    mkdirSync(join(folder, "usr/bin"), { recursive: true });
    mkdirSync(join(folder, "tmp"));
    fill(folder);
    const words = [
      "image",
      "dir",
      name,
      folder,
      JSON.stringify(entrypoint),
      ...(user === undefined ? [] : ["--user", user]),
      ...Object.entries(env).flatMap(([variable, value]) => ["--env", `${variable}=${value}`]),
    ];
    const cluster = basename(dirname(kubeconfigPath));
    execFileSync(process.execPath, [tool, ...words, "--name", cluster], { stdio: ["ignore", "ignore", "pipe"] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a program and its shared libraries into a folder, as `/usr/bin/NAME`. */
export function copyProgram(path: string, folder: string, name: string = basename(path)): void {
  copyFileSync(path, join(folder, "usr/bin", name));
  for (const [, library = ""] of execFileSync("ldd", [path], { encoding: "utf8" }).matchAll(/(\/\S+\.so\S*)/g)) {
    const target = join(folder, library);
    mkdirSync(dirname(target), { recursive: true });
    if (!existsSync(target)) copyFileSync(library, target);
  }
}

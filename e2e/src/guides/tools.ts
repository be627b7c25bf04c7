import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { installNode, installTool, kubectl } from "@homeostat/kube";
import type { Combination } from "./combinations.ts";

/** Returns a `PATH` that starts with the folders of the programs that the commands of a guide need. */
export async function pathFor({ node, packageManager }: Combination): Promise<string> {
  const binary = node === undefined ? process.execPath : await installNode(node);
  const folders = [dirname(binary), await kubectlFolder()];
  if (packageManager === "pnpm") folders.push(join(await installTool({ name: "pnpm", version: "10.34.8" }), ".bin"));
  return [...folders, process.env["PATH"] ?? ""].join(delimiter);
}

/** Returns the folder of the `kubectl` on the `PATH`; without one, of the one that `tools/kube` builds. */
async function kubectlFolder(): Promise<string> {
  const found = (process.env["PATH"] ?? "").split(delimiter).find((folder) => existsSync(join(folder, "kubectl")));
  return found ?? dirname(await kubectl());
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MachineKey, machineId } from "@homeostat/tunnel";

/** Returns the path of the private key of this machine. */
export function machineKeyFile(configFolder: string): string {
  return join(configFolder, "machine-key.pem");
}

/** Returns the id of this machine; undefined if it has no key yet. */
export async function readMachineId(configFolder: string): Promise<string | undefined> {
  try {
    return machineId(MachineKey.fromPem(await readFile(machineKeyFile(configFolder), "utf8")).publicKey);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
}

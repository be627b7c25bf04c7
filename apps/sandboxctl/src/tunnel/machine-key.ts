import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { MachineKey } from "@homeostat/tunnel";
import { CommandError, exitCodes } from "../command/errors.ts";
import { machineKeyFile } from "../settings/machine-id.ts";

/** Loads the key of this machine, or creates it, readable by the user only. Refuses a key that other users of the machine can read. */
export async function loadMachineKey(configFolder: string): Promise<MachineKey> {
  const file = machineKeyFile(configFolder);
  const existing = await readKey(file);
  if (existing !== undefined) return existing;
  const key = MachineKey.generate();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // Two commands that start at the same time must not create two keys: the first file wins.
    await writeFile(file, key.toPem(), { mode: 0o600, flag: "wx" });
    return key;
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
    const other = await readKey(file);
    if (other === undefined) throw error;
    return other;
  }
}

async function readKey(file: string): Promise<MachineKey | undefined> {
  let pem: string;
  try {
    const { mode } = await stat(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new CommandError(
        `The key of this machine, ${file}, can be read by other users. Run chmod 600 ${file}, or delete it to get another one`,
        exitCodes.refused,
      );
    }
    pem = await readFile(file, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined;
    throw error;
  }
  try {
    return MachineKey.fromPem(pem);
  } catch (error) {
    throw new CommandError(`${file} is not a key of a machine. Delete it to get another one`, exitCodes.error, {
      cause: error,
    });
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

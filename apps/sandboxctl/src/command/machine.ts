import { homedir, hostname } from "node:os";
import { join } from "node:path";
import type { Machine } from "./context.ts";

/** Returns the folders of this machine, as the XDG Base Directory Specification defines them; on Windows those of the user's profile. */
export function machineOf(env: Readonly<Record<string, string | undefined>>): Machine {
  const home = homedir();
  const isWindows = process.platform === "win32";
  const folder = (variable: string, ...otherwise: string[]): string => {
    const given = env[variable];
    return given === undefined || given === "" ? join(home, ...otherwise) : given;
  };
  const config = isWindows ? folder("APPDATA", "AppData", "Roaming") : folder("XDG_CONFIG_HOME", ".config");
  const state = isWindows ? folder("LOCALAPPDATA", "AppData", "Local") : folder("XDG_STATE_HOME", ".local", "state");
  return {
    env,
    configFolder: join(config, "sandboxctl"),
    stateFolder: join(state, "sandboxctl"),
    host: hostname(),
  };
}

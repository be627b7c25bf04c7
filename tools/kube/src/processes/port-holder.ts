import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/** Returns the process that listens on a TCP port, if this user may see it. Linux only, else undefined. */
export function portHolder(port: number): { pid: number; command: string } | undefined {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => listeningSockets(read(path), port)));
  if (sockets.size === 0) return undefined;
  for (const pid of names("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of names(`/proc/${pid}/fd`)) {
      if (!sockets.has(link(`/proc/${pid}/fd/${descriptor}`))) continue;
      return { pid: Number(pid), command: read(`/proc/${pid}/comm`).trim() };
    }
  }
  return undefined;
}

/** Returns the sockets that listen on a port, in the notation of `/proc/<pid>/fd`, from the kernel's table. */
export function listeningSockets(table: string, port: number): string[] {
  const listening = "0A";
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === listening && local?.split(":")[1] === wanted && inode !== undefined ? [`socket:[${inode}]`] : [];
  });
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

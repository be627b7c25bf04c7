import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, statfsSync } from "node:fs";

// etcd sets 64 MB aside for each file of its log, and a container often has no more than that in memory.
const freeBytesMin = 1024 ** 3;

/** The folder in memory that belongs to a cluster's folder, whether it is used or not. */
export function memoryFolder(clusterFolder: string): string {
  return `/dev/shm/homeostat-kube-${createHash("sha256").update(clusterFolder).digest("hex").slice(0, 12)}`;
}

/** Makes the folder in memory and returns it; undefined where there is no memory to write to, or too little. */
export function makeMemoryFolder(clusterFolder: string): string | undefined {
  const folder = memoryFolder(clusterFolder);
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < freeBytesMin) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Everybody may write to /dev/shm: a folder somebody else has put there under our name is not used.
    return lstatSync(folder).uid === process.getuid?.() ? folder : undefined;
  } catch {
    return undefined;
  }
}

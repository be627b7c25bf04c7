import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, statfsSync } from "node:fs";

// etcd preallocates 64 MB for each WAL file, and a container often has no more shared memory than that.
const freeBytesMin = 1024 ** 3;

/** Returns the folder in memory that belongs to a cluster's folder, whether or not it is used. */
export function memoryFolder(clusterFolder: string): string {
  return `/dev/shm/homeostat-kube-${createHash("sha256").update(clusterFolder).digest("hex").slice(0, 12)}`;
}

/** Creates the folder in memory and returns it; undefined if there is too little memory. */
export function makeMemoryFolder(clusterFolder: string): string | undefined {
  const folder = memoryFolder(clusterFolder);
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < freeBytesMin) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Any user can write to /dev/shm: a folder that another user created under this name is not used.
    return lstatSync(folder).uid === process.getuid?.() ? folder : undefined;
  } catch {
    return undefined;
  }
}

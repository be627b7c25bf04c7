import { StorageStoppedError } from "../storage/errors.ts";

/**
 * Runs a write that reacts to another write, such as that of a condition or an IPAddress. It is skipped while the storage accepts no
 * writes: no caller waits for it, and an error would stop the notification of other subscribers or end the process.
 */
export function whileWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof StorageStoppedError)) throw error;
  }
}

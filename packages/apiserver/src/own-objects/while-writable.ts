import { StorageStoppedError } from "../storage/errors.ts";

/**
 * Runs a write that follows another one, such as a condition or an index object. While the storage accepts no writes it is skipped:
 * no caller waits for it, and throwing would end the process or the notification of others.
 */
export function whileWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof StorageStoppedError)) throw error;
  }
}

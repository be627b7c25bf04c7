import { readFileSync, writeFileSync } from "node:fs";

const file = "/proc/sys/fs/inotify/max_user_instances";
const instancesMin = 1_024;

/**
 * Raises the number of inotify instances that a user may have. Envoy opens one for each watched file and aborts if it gets none; the default
 * of 128 is used up by one Envoy with all cases, or by a few kubelets.
 */
export function raiseInotifyLimit(): void {
  if (Number(readFileSync(file, "utf8")) >= instancesMin) return;
  try {
    writeFileSync(file, String(instancesMin));
  } catch (cause) {
    throw new Error(`run \`sysctl -w fs.inotify.max_user_instances=${instancesMin}\` as root`, { cause });
  }
}

/**
 * Returns the CPU time in milliseconds that the process uses while `action` runs.
 *
 * For tests that tell linear from quadratic time. Wall time would include other processes: on a busy machine, they may
 * stop this one for seconds.
 */
export function cpuMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

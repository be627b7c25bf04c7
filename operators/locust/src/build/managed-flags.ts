/** The flags that the operator itself puts on command lines. */
export const managedFlags = [
  "--master",
  "--worker",
  "--master-port",
  "--master-host",
  "--expect-workers",
  "--autostart",
  "--autoquit",
  "--otel",
  "--enable-rebalancing",
  "--only-summary",
] as const;

/**
 * Which of a user's extra arguments repeat a flag of the operator's.
 *
 * They are kept, and the last value wins in Locust; a log tells about it. A switch cannot be turned off by repeating it.
 */
export function managedConflicts(extraArgs: readonly string[]): string[] {
  return extraArgs.filter((argument) =>
    managedFlags.some((flag) => argument === flag || argument.startsWith(`${flag}=`)),
  );
}

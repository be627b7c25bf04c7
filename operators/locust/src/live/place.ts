import { effectiveArguments } from "../build/effective-arguments.ts";
import type { LiveTarget } from "./live-stats.ts";
import type { MasterPlace } from "./live-poller.ts";

/** Where the web API of a master is, by the arguments and the environment that its Job has. */
export function placeOf({ pod, args, env }: Pick<LiveTarget, "pod" | "args" | "env">): MasterPlace {
  const effective = effectiveArguments({
    args,
    env: env.map(({ name, value }) => (value === undefined ? { name } : { name, value })),
  });
  if (effective.headless)
    return {
      type: "none",
      reason: "WebUIDisabled",
      message: "The master has no web interface: it runs with --headless",
    };
  return {
    type: "address",
    address: {
      namespace: pod.namespace,
      pod: pod.name,
      ip: pod.ip,
      port: effective.webPort,
      basePath: effective.webBasePath,
      isTls: effective.tls,
    },
  };
}

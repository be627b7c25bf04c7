import { HomeostatError } from "@homeostat/core";

export { UsageError as KubeUsageError } from "@homeostat/core";

/** Thrown when something has to be compiled and there is no Go, or one that is too old. */
export class GoMissingError extends HomeostatError {
  readonly code = "GO_MISSING";
}

/** Thrown when a tool that a program is built or run with is not installed. */
export class ToolMissingError extends HomeostatError {
  readonly code = "TOOL_MISSING";
}

/** Thrown when the Go compiler, debootstrap, pip or another program that was started gave up. */
export class CommandFailedError extends HomeostatError {
  readonly code = "KUBE_COMMAND_FAILED";
}

/** Thrown when a folder of binaries lacks one that is needed. */
export class BinariesMissingError extends HomeostatError {
  readonly code = "KUBE_BINARIES_MISSING";
}

/** Thrown when the cache folder cannot be made or written. */
export class CacheUnwritableError extends HomeostatError {
  readonly code = "KUBE_CACHE_UNWRITABLE";
}

/** Thrown when there is no room left to write to. */
export class DiskFullError extends HomeostatError {
  readonly code = "KUBE_DISK_FULL";
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a port is held by another process. */
export class PortTakenError extends HomeostatError {
  readonly code = "KUBE_PORT_TAKEN";
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a part of the cluster ended, or was not ready in time, while it was being started. */
export class ComponentFailedError extends HomeostatError {
  readonly code = "KUBE_COMPONENT_FAILED";
  readonly component: string;
  /** The last lines the component wrote. */
  readonly logTail: string;

  constructor(
    failure: { component: string; problem: string; logTail: string; logPath: string },
    options?: ErrorOptions,
  ) {
    const said = failure.logTail === "" ? "It wrote nothing." : `Its last lines:\n${indent(failure.logTail)}`;
    super(`${failure.component} ${failure.problem}. ${said}\nThe whole log: ${failure.logPath}`, options);
    this.component = failure.component;
    this.logTail = failure.logTail;
  }
}

/** Thrown when a cluster of that name is not there, or not in the shape the command needs. */
export class ClusterStateError extends HomeostatError {
  readonly code = "KUBE_CLUSTER_STATE";
}

/** Thrown when another process is building, starting or stopping the same thing for too long. */
export class BusyError extends HomeostatError {
  readonly code = "KUBE_BUSY";
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when this machine cannot run a node or make an image: not Linux, not root, packages missing. */
export class NodeRequirementsError extends HomeostatError {
  readonly code = "KUBE_NODE_REQUIREMENTS";
}

/** Thrown when a kubeconfig given for the end-to-end suites cannot be used by them. */
export class KubeconfigUnusableError extends HomeostatError {
  readonly code = "KUBECONFIG_UNUSABLE";
}

/** Thrown when no real Kubernetes can be had here. The message is the reason to show for a skipped suite. */
export class RealClusterUnavailableError extends HomeostatError {
  readonly code = "REAL_CLUSTER_UNAVAILABLE";
}

/** Thrown when Ctrl-C or a signal ended the work; what was begun has been undone. */
export class InterruptedError extends HomeostatError {
  readonly code = "KUBE_INTERRUPTED";
  constructor(options?: ErrorOptions) {
    super("Interrupted; what was begun has been undone.", options);
  }
}

/** The same error, or the typed one that tells its reader more: a full disk, a folder that may not be written. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HomeostatError) return error;
  if (error.name === "AbortError") return new InterruptedError({ cause: error });
  const code = errorCode(error);
  const place = "path" in error && typeof error.path === "string" ? error.path : "a file";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new DiskFullError(
      `No room left on the disk while writing ${place}. Free some, or point HOMEOSTAT_CACHE at another disk.`,
      { cause: error },
    );
  }
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return new CacheUnwritableError(
      `${place} cannot be written (${code}). Point HOMEOSTAT_CACHE at a folder you own, or run as its owner.`,
      { cause: error },
    );
  }
  return error;
}

/** The system's name for what went wrong (`"ENOENT"`), where the error carries one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}

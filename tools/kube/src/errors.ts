import { HomeostatError } from "@homeostat/core";

export { UsageError as KubeUsageError } from "@homeostat/core";

/** Thrown when something must be compiled and Go is missing or too old. */
export class GoMissingError extends HomeostatError {
  readonly code = "GO_MISSING";
}

/** Thrown when a tool that a program is built or run with is not installed. */
export class ToolMissingError extends HomeostatError {
  readonly code = "TOOL_MISSING";
}

/** Thrown when the Go compiler, debootstrap, pip or another program failed. */
export class CommandFailedError extends HomeostatError {
  readonly code = "KUBE_COMMAND_FAILED";
}

/** Thrown when a folder of binaries lacks a required one. */
export class BinariesMissingError extends HomeostatError {
  readonly code = "KUBE_BINARIES_MISSING";
}

/** Thrown when the cache folder cannot be created or written. */
export class CacheUnwritableError extends HomeostatError {
  readonly code = "KUBE_CACHE_UNWRITABLE";
}

/** Thrown when the disk is full. */
export class DiskFullError extends HomeostatError {
  readonly code = "KUBE_DISK_FULL";
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when another process uses a port. */
export class PortTakenError extends HomeostatError {
  readonly code = "KUBE_PORT_TAKEN";
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a component of the cluster exited, or was not ready in time, during the start. */
export class ComponentFailedError extends HomeostatError {
  readonly code = "KUBE_COMPONENT_FAILED";
  readonly component: string;
  /** Last lines of the component's log. */
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

/** Thrown when a cluster does not exist, or is not in the state that the command needs. */
export class ClusterStateError extends HomeostatError {
  readonly code = "KUBE_CLUSTER_STATE";
}

/** Thrown when another process builds, starts or stops the same thing for too long. */
export class BusyError extends HomeostatError {
  readonly code = "KUBE_BUSY";
  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when this machine cannot run a node or build an image: not Linux, not root, packages missing. */
export class NodeRequirementsError extends HomeostatError {
  readonly code = "KUBE_NODE_REQUIREMENTS";
}

/** Thrown when the suites cannot use a given kubeconfig. */
export class KubeconfigUnusableError extends HomeostatError {
  readonly code = "KUBECONFIG_UNUSABLE";
}

/** Thrown when no real Kubernetes is available. The message is the reason to show for a skipped suite. */
export class RealClusterUnavailableError extends HomeostatError {
  readonly code = "REAL_CLUSTER_UNAVAILABLE";
}

/** Thrown when Ctrl-C or a signal interrupted the work. Partial results have been removed. */
export class InterruptedError extends HomeostatError {
  readonly code = "KUBE_INTERRUPTED";
  constructor(options?: ErrorOptions) {
    super("Interrupted; partial results were removed.", options);
  }
}

/** Returns the error, or a more specific one: a full disk, a folder without write permission. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HomeostatError) return error;
  if (error.name === "AbortError") return new InterruptedError({ cause: error });
  const code = errorCode(error);
  const place = "path" in error && typeof error.path === "string" ? error.path : "a file";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new DiskFullError(
      `The disk is full while writing ${place}. Free some space, or set HOMEOSTAT_CACHE to a folder on another disk.`,
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

/** Returns the system error code (`"ENOENT"`) of an error, if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}

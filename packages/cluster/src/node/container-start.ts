import { durationFromMs, formatDuration, formatTime, type Random } from "@homeostat/core";
import { type ContainerRecord, terminatedState } from "./container-state.ts";
import { fullImageName, imageId, readImageName } from "./image-name.ts";
import { recordEvent, type MachineStep } from "./machine-step.ts";
import { environmentProblem } from "./pod-config.ts";
import { resetProbes } from "./container-probes.ts";
import { nextBackoff } from "./restart-backoff.ts";

// Steps from a waiting container to a running process: image, environment, start. Events, their order and messages
// are those of the kubelet.

/** Starts or restarts a container: checks its image name and pulls the image if needed. */
export function startContainer(container: ContainerRecord, step: MachineStep): void {
  const { spec, script, fieldPath } = container;
  const { settings, now } = step;
  const image = spec.image ?? "";
  container.restartAt = undefined;
  container.shownAt = undefined;
  const name = readImageName(image);
  if ("problem" in name) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${name.problem}`;
    return failImage(container, step, { reason: "InvalidImageName", event: "InspectFailed", message });
  }
  const policy = spec.imagePullPolicy ?? (name.tag === "latest" ? "Always" : "IfNotPresent");
  if (script.pullError !== undefined && policy === "Never") {
    const message = `Container image "${image}" is not present with pull policy of Never`;
    return failImage(container, step, { reason: "ErrImageNeverPull", event: "ErrImageNeverPull", message });
  }
  const isPresent = script.pullError === undefined && settings.images.has(image);
  if (policy === "Never" || (policy === "IfNotPresent" && isPresent)) {
    const message = `Container image "${image}" already present on machine and can be accessed by the pod`;
    recordEvent(step, "Normal", "Pulled", { message, fieldPath });
    return createContainer(container, step);
  }
  recordEvent(step, "Normal", "Pulling", { message: `Pulling image "${image}"`, fieldPath });
  container.stage = { at: "pulling", since: now, until: now + (script.pullMs ?? settings.delays.pullMs) };
}

/** Completes a pull, with success or with the error of the script. */
export function completePull(container: ContainerRecord, step: MachineStep, since: number): void {
  const { spec, script, fieldPath } = container;
  const { settings, now } = step;
  const image = spec.image ?? "";
  if (script.pullError === undefined) {
    settings.images.add(image);
    const took = formatDuration(durationFromMs(Math.max(1, now - since)));
    const message = `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${imageBytes(image)} bytes.`;
    recordEvent(step, "Normal", "Pulled", { message, fieldPath });
    return createContainer(container, step);
  }
  const problem = pullProblem(image, script.pullError);
  recordEvent(step, "Warning", "Failed", { message: `Failed to pull image "${image}": ${problem}`, fieldPath });
  recordEvent(step, "Warning", "Failed", { message: "Error: ErrImagePull", fieldPath });
  container.view = { waiting: { reason: "ErrImagePull", message: problem } };
  container.pull = nextBackoff(container.pull, now);
  container.stage = { at: "unable", cause: "image", retryAt: now + container.pull.ms };
  container.shownAt = now + settings.delays.showMs;
  container.shownNext = "pull";
}

/** Creates a container whose image is present. */
function createContainer(container: ContainerRecord, step: MachineStep): void {
  const { spec, script, fieldPath } = container;
  const { settings, now, pod } = step;
  const problem = environmentProblem(pod, spec, settings.config);
  if (problem !== undefined) {
    recordEvent(step, "Warning", "Failed", { message: `Error: ${problem}`, fieldPath });
    container.view = { waiting: { reason: "CreateContainerConfigError", message: problem } };
    container.stage = { at: "unable", cause: "config", retryAt: now + settings.delays.retryMs };
    return;
  }
  recordEvent(step, "Normal", "Created", { message: "Container created", fieldPath });
  container.nextId = newId(settings.random);
  // No start delay after a probe failure: the kubelet restarts such a container in the same sync, so its status never
  // shows it as terminated.
  const startMs = container.isKilledByProbe ? 0 : (script.startMs ?? settings.delays.startMs);
  container.stage = { at: "creating", until: now + startMs };
}

/** Starts the process of a created container. */
export function runContainer(container: ContainerRecord, step: MachineStep, willRestart: boolean): void {
  const { script, fieldPath, spec } = container;
  const { now } = step;
  if (container.view.terminated !== undefined) container.lastView = { terminated: container.view.terminated };
  if (container.id !== "") container.restartCount += 1;
  container.id = container.nextId;
  container.isKilledByProbe = false;
  if (script.startError !== undefined) {
    const message = `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${script.startError}: unknown`;
    recordEvent(step, "Warning", "Failed", { message: `Error: ${message}`, fieldPath });
    const end = { exitCode: 128, reason: "StartError", message, startedAt: 0, finishedAt: now };
    const terminated = terminatedState(container, end);
    container.stage = { at: "exited", exitCode: 128, finishedAt: now };
    container.view = willRestart ? { waiting: { reason: "RunContainerError", message } } : { terminated };
    if (willRestart) container.lastView = { terminated };
    return;
  }
  recordEvent(step, "Normal", "Started", { message: "Container started", fieldPath });
  container.run += 1;
  container.stage = { at: "running", startedAt: now };
  container.view = { running: { startedAt: formatTime(now) } };
  container.isStarted = spec.startupProbe === undefined;
  container.isReady = false;
  resetProbes(container, step);
  step.effects.push({ do: "start", container: spec.name, run: container.run });
}

function failImage(
  container: ContainerRecord,
  step: MachineStep,
  { reason, event, message }: { readonly reason: string; readonly event: string; readonly message: string },
): void {
  const { fieldPath } = container;
  recordEvent(step, "Warning", event, { message, fieldPath });
  recordEvent(step, "Warning", "Failed", { message: `Error: ${reason}`, fieldPath });
  container.view = { waiting: { reason, message } };
  container.stage = { at: "unable", cause: "image", retryAt: step.now + step.settings.delays.retryMs };
}

/** Returns the error of a pull in the wording of containerd. */
export function pullProblem(image: string, problem: string): string {
  const name = fullImageName(image);
  const isUnknown = problem === "not found";
  const start = `failed to pull and unpack image "${name}": failed to resolve reference "${name}": `;
  return isUnknown ? `rpc error: code = NotFound desc = ${start}${name}: not found` : start + problem;
}

/** Returns a stable made-up size of an image. */
function imageBytes(image: string): number {
  const digits = imageId(image).slice(-6);
  return 5_000_000 + Number.parseInt(digits === "" ? "0" : digits, 16);
}

/** Prefix of container IDs in the status (the container runtime). */
const runtime = "homeostat";

function newId(random: Random): string {
  const digits = Array.from({ length: 64 }, () => random.int(16).toString(16)).join("");
  return `${runtime}://${digits}`;
}

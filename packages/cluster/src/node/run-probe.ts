import { connect } from "node:net";
import { type Clock, type DeepReadonly, DeadlineError, durationFromMs, formatDuration } from "@homeostat/core";
import { openHttp } from "@homeostat/http";
import type { HTTPGetAction, Probe } from "@homeostat/kubernetes/core/v1";
import { portNumber } from "./container-probes.ts";
import type { LocalAddress, Network } from "./network.ts";
import type { ContainerView } from "./pod-view.ts";
import type { CommandResult, RunningProgram } from "./program.ts";

/** Dependencies of a probe. */
export interface ProbeScope {
  readonly container: ContainerView;
  readonly ip: string;
  readonly program: RunningProgram;
  readonly network: Network;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const passed: CommandResult = { ok: true, output: "" };

/** Runs a probe. A probe that the simulation cannot evaluate succeeds. */
export async function runProbe(probe: DeepReadonly<Probe>, scope: ProbeScope): Promise<CommandResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1_000;
  if (probe.exec !== undefined) return runCommand(probe.exec.command ?? [], scope, timeoutMs);
  if (probe.httpGet !== undefined) return getPage(probe.httpGet, scope, timeoutMs);
  if (probe.tcpSocket === undefined) return passed;
  const { container, ip, network, program } = scope;
  const port = portNumber(container, probe.tcpSocket.port) ?? 0;
  if (program.probe !== undefined && probe.tcpSocket.host === undefined)
    return program.probe({ port, path: undefined }) === undefined ? { ok: false, output: refused(ip, port) } : passed;
  const address = network.addressOf(probe.tcpSocket.host ?? ip, port);
  if (address !== undefined) return touchPort(address, scope, timeoutMs);
  return program.servesPorts === true ? { ok: false, output: refused(ip, port) } : passed;
}

async function runCommand(
  command: readonly string[],
  { program, clock, signal }: ProbeScope,
  timeoutMs: number,
): Promise<CommandResult> {
  const result = await program.exec?.(command);
  if (result === undefined) return passed;
  if (!("pauseMs" in result)) return result;
  await clock.sleep(Math.min(result.pauseMs, timeoutMs), signal);
  if (result.pauseMs <= timeoutMs) return result;
  const limit = formatDuration(durationFromMs(timeoutMs));
  return { ok: false, output: `command timed out: "${command.join(" ")}" timed out after ${limit}` };
}

async function getPage(
  action: DeepReadonly<HTTPGetAction>,
  scope: ProbeScope,
  timeoutMs: number,
): Promise<CommandResult> {
  const { container, network, program, ip } = scope;
  const port = portNumber(container, action.port) ?? 0;
  const path = action.path ?? "/";
  const isDirect = program.probe !== undefined && action.host === undefined;
  const direct = isDirect ? program.probe?.({ port, path }) : undefined;
  if (direct !== undefined) return verdictOf(direct);
  const address = isDirect ? undefined : network.addressOf(action.host ?? ip, port);
  const url = `${(action.scheme ?? "HTTP").toLowerCase()}://${ip}:${port}${path}`;
  if (address === undefined)
    return isDirect || program.servesPorts === true
      ? { ok: false, output: `Get "${url}": ${refused(ip, port)}` }
      : passed;
  if (action.scheme === "HTTPS") return touchPort(address, scope, timeoutMs);
  using timeout = scope.clock.timeout(timeoutMs);
  try {
    const headers = Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name, value]));
    const signal = AbortSignal.any([timeout.signal, scope.signal]);
    return verdictOf(await statusOf(address, { path, headers, signal }));
  } catch {
    const isLate = timeout.signal.aborted && timeout.signal.reason instanceof DeadlineError;
    const why = isLate
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : refused(ip, port);
    return { ok: false, output: `Get "${url}": ${why}` };
  }
}

function verdictOf(status: number): CommandResult {
  return status >= 200 && status < 400 ? passed : { ok: false, output: `HTTP probe failed with statuscode: ${status}` };
}

/** Response bytes that the kubelet reads before it closes the connection. */
const probeBytesMax = 10 * 1_024;

async function statusOf(
  { host, port }: LocalAddress,
  { path, headers, signal }: { path: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<number> {
  const response = await openHttp({
    method: "GET",
    host,
    port,
    path,
    headers: { "user-agent": "kube-probe/1.36", accept: "*/*", ...headers },
    signal,
  });
  let bytes = 0;
  for await (const chunk of response) {
    bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
    // Leaving the loop closes the connection.
    if (bytes >= probeBytesMax) break;
  }
  return response.statusCode ?? 0;
}

async function touchPort({ host, port }: LocalAddress, scope: ProbeScope, timeoutMs: number): Promise<CommandResult> {
  using timeout = scope.clock.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout.signal, scope.signal]);
  return await new Promise<CommandResult>((resolve) => {
    const socket = connect({ host, port });
    const end = (result: CommandResult): void => {
      signal.removeEventListener("abort", late);
      socket.destroy();
      resolve(result);
    };
    const late = (): void => end({ ok: false, output: `dial tcp ${scope.ip}:${port}: i/o timeout` });
    signal.addEventListener("abort", late, { once: true });
    if (signal.aborted) late();
    socket.once("connect", () => end(passed));
    socket.on("error", () => end({ ok: false, output: refused(scope.ip, port) }));
  });
}

function refused(ip: string, port: number): string {
  return `dial tcp ${ip}:${port}: connect: connection refused`;
}

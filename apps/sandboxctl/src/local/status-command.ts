import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { ageOf } from "../output/ages.ts";
import { fieldLines } from "../output/describe.ts";
import { tableLines } from "../output/table-lines.ts";
import type { statusFlags } from "./flags.ts";
import { isRunning, readStates, type TunnelState } from "../state/state-file.ts";

const stoppedText = "the process was killed; run sandboxctl local disconnect to clean up";

/** Lists the tunnels of this machine. */
export async function localStatus(input: CommandInput<typeof statusFlags>, context: CommandContext): Promise<number> {
  const { print, note, clock, machine } = context;
  const now = clock.now();
  const states = (await readStates(machine.stateFolder)).map((state) =>
    isRunning(state, clock) ? state : { ...state, state: "stopped", lastError: stoppedText },
  );
  if (input.output === "json") print(JSON.stringify(states, undefined, 2));
  else if (states.length === 0) note("No tunnels on this machine. Start one with sandboxctl local connect");
  else if (input.isSet("details")) for (const line of states.flatMap((state) => details(state, now))) print(line);
  else {
    const head = [
      "NAME",
      "NAMESPACE",
      "SANDBOX",
      "SERVICE",
      "STATE",
      "SINCE",
      "RTT",
      "PORTS",
      "OPEN",
      "IN",
      "OUT",
      "ERROR",
    ];
    for (const line of tableLines([head, ...states.map((state) => row(state, now))])) print(line);
  }
  return exitCodes.done;
}

function row(state: TunnelState, now: number): readonly string[] {
  return [
    state.name,
    state.namespace,
    state.sandbox,
    state.service,
    state.state,
    ageOf(state.since, now),
    rttText(state),
    state.ports.map(({ address, state: is }) => `${address}=${is}`).join(","),
    String(state.open),
    bytesText(state.bytesIn),
    bytesText(state.bytesOut),
    state.state === "attached" ? "" : state.lastError,
  ];
}

function details(state: TunnelState, now: number): readonly string[] {
  return [
    ...fieldLines({
      Name: `${state.namespace}/${state.name}`,
      Sandbox: state.sandbox,
      Service: state.service,
      State: `${state.state} since ${ageOf(state.since, now)}`,
      "Routing key": state.routingKey,
      Server: `${state.server}${state.transport === "" ? "" : ` by ${state.transport}`}`,
      Replica: state.replica,
      "Round trip": rttText(state),
      Proxy: state.socks,
      Process: String(state.pid),
      Connections: `${state.connections}, ${state.open} open, ${state.failed} failed`,
      Bytes: `${bytesText(state.bytesIn)} in, ${bytesText(state.bytesOut)} out`,
      "Last error": state.lastError,
    }),
    ...state.ports.map(
      (port) => `  ${port.name}: container port ${port.containerPort} -> ${port.address}, ${port.state}`,
    ),
    "",
  ];
}

function rttText({ rttMs }: TunnelState): string {
  return rttMs < 0 ? "" : `${rttMs.toFixed(rttMs < 10 ? 1 : 0)} ms`;
}

function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power] ?? ""}`;
}

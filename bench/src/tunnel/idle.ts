import { once } from "node:events";
import { median } from "../harness/measure.ts";
import { LoadConnection } from "./load-client.ts";
import { rssMib, type Subjects } from "./subjects.ts";

/** Memory of a server with idle tunnels, and the time until the first tunnel works. */
export interface IdleTunnels {
  readonly tunnels: number;
  /** Memory of the server with one tunnel and with all, in MiB. */
  readonly oneMib: number;
  readonly allMib: number;
  /** From the connection of a client until the response to the first request has arrived, in milliseconds. */
  readonly attachMs: number;
}

/** Measures a server with idle tunnels of one client process. */
export async function measureIdle(
  subjects: Subjects,
  { tunnels, node }: { readonly tunnels: number; readonly node: string },
): Promise<IdleTunnels> {
  const server = await subjects.startOwnServer(node);
  const attachMs: number[] = [];
  let oneMib = 0;
  for (let round = 0; round < 5; round += 1) {
    const machine = await subjects.startMachines({ node, port: server.port, tunnels: 1 });
    const connection = await LoadConnection.open(server.entry);
    await connection.exchange({ requestBytes: 1_024, responseBytes: 1_024 });
    attachMs.push(Date.now() - machine.connectedAt);
    connection.close();
    oneMib = rssMib(server.process);
    const exit = once(machine.process, "exit");
    machine.process.kill();
    await exit;
  }
  await subjects.startMachines({ node, port: server.port, tunnels });
  return { tunnels, oneMib, allMib: rssMib(server.process), attachMs: median(attachMs) };
}

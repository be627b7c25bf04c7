import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that operating systems give to outgoing connections, and below those of the control planes that tests start. */
const range = { first: 11_000, count: 8_000 };
/** Distance between the first ports of two processes with consecutive IDs. */
const stride = 37;
let offset = process.pid * stride;

/**
 * Returns free ports of the loopback interface, for programs that cannot report the port that they have got.
 *
 * A port that the operating system chooses can be taken by any connection of the machine until the program listens on it. These ports cannot,
 * and processes that run at the same time begin at different ones.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries === range.count) throw new Error(`Only ${ports.length} of ${count} ports are free`);
    const port = range.first + (offset % range.count);
    offset += 1;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

import { createServer } from "node:net";
import { PortTakenError, errorCode } from "../errors.ts";
import { portHolder } from "./port-holder.ts";

// Below the range of ephemeral ports of Linux (32768 and up), so that no outgoing connection can take the port between the check
// and the start of the server.
const first = 20_000;
const count = 12_000;

/** Reports whether the port of an address is free. */
export async function isFree(port: number, address = "127.0.0.1"): Promise<boolean> {
  const server = createServer();
  return new Promise<boolean>((resolve, reject) => {
    server.once("error", (error) => {
      const code = errorCode(error);
      if (code === "EADDRINUSE" || code === "EACCES") resolve(false);
      else reject(error);
    });
    server.listen({ port, host: address, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** Options of choosing ports. */
export interface PortChoice {
  readonly howMany: number;
  /** Start of the search. Different seeds start at different ports, so that two searches at once rarely collide. */
  readonly seed: string;
  /** Reserved ports, even if no process listens on them yet. */
  readonly taken: ReadonlySet<number>;
  readonly isFree?: (port: number) => Promise<boolean>;
}

/** Returns free ports. Throws {@link PortTakenError} if the whole range is in use. */
export async function choosePorts({ howMany, seed, taken, isFree: test = isFree }: PortChoice): Promise<number[]> {
  const chosen: number[] = [];
  const start = hash(seed) % count;
  for (let step = 0; step < count && chosen.length < howMany; step++) {
    const port = first + ((start + step) % count);
    if (!taken.has(port) && (await test(port))) chosen.push(port);
  }
  if (chosen.length < howMany) {
    throw new PortTakenError(`No ${howMany} free ports between ${first} and ${first + count - 1}. Stop some clusters.`);
  }
  return chosen;
}

/** Rejects a port in use. The error names the process if it is visible. */
export async function checkPort(port: number, address: string): Promise<void> {
  if (await isFree(port, address)) return;
  if (port < 1024 && process.getuid?.() !== 0) {
    throw new PortTakenError(`Port ${port} is below 1024 and needs root, or it is in use. Choose a higher --port.`);
  }
  const holder = portHolder(port);
  const who = holder === undefined ? "another process" : `process ${holder.pid} (${holder.command})`;
  throw new PortTakenError(`Port ${port} is in use by ${who}. Choose another --port, or omit --port.`);
}

/** FNV-1a with 32 bits: distributes names over the range. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

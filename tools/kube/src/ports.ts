import { createServer } from "node:net";
import { PortTakenError, errorCode } from "./errors.ts";
import { portHolder } from "./port-holder.ts";

// Below the range from which Linux gives ports to outgoing connections (32768 and up), so that no connection made
// between our test and the server's start can take the port.
const first = 20_000;
const count = 12_000;

/** Whether nobody listens on the port of that address now. */
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

/** How to choose ports. */
export interface PortChoice {
  readonly howMany: number;
  /** Where to begin looking. Different seeds look in different places, so two at once rarely meet. */
  readonly seed: string;
  /** Ports that are spoken for, though nobody may listen on them yet. */
  readonly taken: ReadonlySet<number>;
  readonly isFree?: (port: number) => Promise<boolean>;
}

/** Chooses ports nobody listens on. Throws {@link PortTakenError} when the whole range is full. */
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

/** Refuses a port that somebody holds, and says who where that can be seen. */
export async function checkPort(port: number, address: string): Promise<void> {
  if (await isFree(port, address)) return;
  if (port < 1024 && process.getuid?.() !== 0) {
    throw new PortTakenError(`Port ${port} is below 1024 and needs root, or it is taken. Choose a higher --port.`);
  }
  const holder = portHolder(port);
  const who = holder === undefined ? "another process" : `process ${holder.pid} (${holder.command})`;
  throw new PortTakenError(`Port ${port} is taken by ${who}. Choose another --port, or leave --port away.`);
}

/** FNV-1a, 32 bits: spreads names over the range. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

import type { AddressInfo, Server } from "node:net";

/** Listens on a free port of the loopback interface. Returns the port. */
export async function listenLocal(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

// A log server as in tenants: stores log entries in Redis, with address and password from its environment. The image contains
// only this file, so it imports only built-in modules of Node.js.

import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";

const {
  PORT = "",
  TENANT_ID = "",
  REDIS_HOST = "",
  REDIS_PORT = "",
  REDIS_PASSWORD = "",
  STORAGE_TYPE = "",
} = process.env;

/** Time that a request waits for an unreachable Redis. */
const patienceMs = 240_000;
/** Time that the server keeps serving after SIGTERM, until clients no longer send requests to it. */
const lingerMs = 4_000;

type Reply = string | number | undefined;

/** Redis denied the login, so a retry would not help. */
class RefusedError extends Error {}

/** One connection, on which commands are sent in sequence. */
class Connection {
  readonly #socket: Socket;
  #received = "";
  #wake: (() => void) | undefined;
  #isOver = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8").setTimeout(5_000, () => socket.destroy());
    socket.on("data", (text: string) => {
      this.#received += text;
      this.#wake?.();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isOver = true;
      this.#wake?.();
    });
  }

  static async open(): Promise<Connection> {
    const connection = new Connection(connect({ host: REDIS_HOST, port: Number(REDIS_PORT) }));
    await connection.send("AUTH", REDIS_PASSWORD);
    return connection;
  }

  close(): void {
    this.#socket.destroy();
  }

  async send(...words: readonly string[]): Promise<Reply> {
    const bulk = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    this.#socket.write(`*${words.length}\r\n${bulk.join("")}`);
    const first = await this.#line();
    const rest = first.slice(1);
    if (first.startsWith("-"))
      throw /^(?:WRONGPASS|NOAUTH|NOPERM)/.test(rest) ? new RefusedError(rest) : new Error(rest);
    if (first.startsWith(":")) return Number(rest);
    if (!first.startsWith("$")) return rest;
    return rest === "-1" ? undefined : this.#line();
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#received.indexOf("\r\n");
      if (end >= 0) {
        const line = this.#received.slice(0, end);
        this.#received = this.#received.slice(end + 2);
        return line;
      }
      if (this.#isOver) throw new Error("Redis closed the connection");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

interface Command {
  readonly words: readonly string[];
  readonly end: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

const waiting: Command[] = [];
let connection: Connection | undefined;
let isWorking = false;

/** Sends a command. Retries while Redis restarts or loads its data: every command here is idempotent. */
async function ask(...words: readonly string[]): Promise<Reply> {
  return new Promise((resolve, reject) => {
    waiting.push({ words, end: Date.now() + patienceMs, resolve, reject });
    if (!isWorking) void work();
  });
}

/** Sends queued commands in sequence over one connection. */
async function work(): Promise<void> {
  isWorking = true;
  for (let command = waiting[0]; command !== undefined; command = waiting[0]) {
    try {
      connection ??= await Connection.open();
      command.resolve(await connection.send(...command.words));
      waiting.shift();
    } catch (error) {
      connection?.close();
      connection = undefined;
      if (error instanceof RefusedError || Date.now() > command.end) {
        command.reject(error);
        waiting.shift();
      } else {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
  isWorking = false;
}

async function handle(request: IncomingMessage): Promise<string> {
  const [, where = "", id = ""] = (request.url ?? "").split("/");
  if (where === "health") return "ok";
  if (where === "about") return JSON.stringify({ tenant: TENANT_ID, storage: STORAGE_TYPE });
  if (where === "count") return String(await ask("HLEN", "logs"));
  if (where !== "logs") throw new Error("not found");
  if (request.method !== "PUT") return String(await ask("HGET", "logs", id));
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += String(part);
  await ask("HSET", "logs", id, body);
  return "kept";
}

const server = createServer((request, response) => {
  handle(request).then(
    (text) => response.writeHead(200, { connection: "close" }).end(text),
    (error: unknown) => response.writeHead(500, { connection: "close" }).end(String(error)),
  );
});
server.listen(Number(PORT));
process.on("SIGTERM", () => {
  setTimeout(() => server.close(() => process.exit(0)), lingerMs);
});

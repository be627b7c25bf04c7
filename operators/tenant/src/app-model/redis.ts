import type { Socket } from "node:net";
import {
  type AppModel,
  type CommandResult,
  imageBaseName,
  type ProgramContext,
  serveTcp,
} from "@homeostat/cluster/app-model";
import { RedisDatabase } from "./database.ts";
import { readCommand, wordBytesMax, writeReply } from "./resp.ts";
import { redisSettings } from "./settings.ts";

/** Simulates Redis: one in-memory database, passwords, and the commands that probes and operators send. */
export const redisModel: AppModel = {
  name: "redis",
  runs: ({ image, command, args }) => {
    const program = [...command, ...args][0] ?? "";
    return (
      imageBaseName(image) === "redis" &&
      (program === "" || program.startsWith("-") || /(?:^|\/)redis-server$|\.conf$/.test(program))
    );
  },
  start: (context) => {
    const settings = redisSettings(context);
    const database = new RedisDatabase(settings, context);
    const log = (text: string): void => context.print(`1:M ${logTime(context.clock.now())} * ${text}`);
    log("oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo");
    const server = serveTcp(context, settings.port, (socket) => handleConnection(socket, database));
    log("Ready to accept connections tcp");
    return {
      servesPorts: true,
      terminate: () => {
        log("User requested shutdown...");
        server[Symbol.dispose]();
        log("Redis is now ready to exit, bye bye...");
        context.exit({ exitCode: 0 });
      },
      kill: () => server[Symbol.dispose](),
      exec: (command) => runRedisCli(command, database, context),
    };
  },
};

function handleConnection(socket: Socket, database: RedisDatabase): void {
  const session = database.open();
  let pending: Buffer = Buffer.alloc(0);
  socket.on("data", (piece) => {
    pending = Buffer.concat([pending, piece]);
    for (;;) {
      const read = readCommand(pending);
      if (read.type === "partial") {
        if (pending.length > 2 * wordBytesMax) socket.destroy();
        return;
      }
      if (read.type === "invalid") return void socket.end(`-ERR Protocol error: ${read.problem}\r\n`);
      pending = read.rest;
      if (read.words.length === 0) continue;
      const reply = database.execute(read.words, session);
      if (reply === undefined) return void socket.end("+OK\r\n");
      socket.write(writeReply(reply));
    }
  });
}

/**
 * Runs a probe command with `redis-cli`; undefined for other commands.
 *
 * A probe that compares the output with `PONG` fails without the password. A plain `redis-cli` exits with 0 after any reply,
 * including an error.
 */
function runRedisCli(
  command: readonly string[],
  database: RedisDatabase,
  { env }: ProgramContext,
): (CommandResult & { readonly pauseMs: number }) | undefined {
  const text = command.join(" ");
  if (!/\bredis-cli\b/.test(text)) return undefined;
  const given = /\s-a\s+["']?([^\s"']+)/.exec(text)?.[1];
  const password =
    given?.replace(/^\$\{?(\w+)\}?$/, (_whole, name: string) => env.get(name) ?? "") ?? env.get("REDISCLI_AUTH");
  const session = database.open();
  if (password !== undefined) database.execute(["AUTH", password], session);
  if (!/\bping\b/i.test(text)) return { ok: session.isAuthenticated, output: "", pauseMs: 0 };
  const output = session.isAuthenticated ? "PONG\n" : "NOAUTH Authentication required.\n";
  return { ok: session.isAuthenticated || !text.includes("PONG"), output, pauseMs: 0 };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function logTime(now: number): string {
  const time = new Date(now);
  const day = String(time.getUTCDate()).padStart(2, "0");
  return `${day} ${months[time.getUTCMonth()] ?? ""} ${time.getUTCFullYear()} ${time.toISOString().slice(11, 23)}`;
}

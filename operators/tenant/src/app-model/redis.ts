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

/** A Redis: one database in memory, passwords, and the commands that probes and operators send. */
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
    const say = (text: string): void => context.print(`1:M ${logTime(context.clock.now())} * ${text}`);
    say("oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo");
    const server = serveTcp(context, settings.port, (socket) => converse(socket, database));
    say("Ready to accept connections tcp");
    return {
      servesPorts: true,
      terminate: () => {
        say("User requested shutdown...");
        server[Symbol.dispose]();
        say("Redis is now ready to exit, bye bye...");
        context.exit({ exitCode: 0 });
      },
      kill: () => server[Symbol.dispose](),
      exec: (command) => runClient(command, database, context),
    };
  },
};

function converse(socket: Socket, database: RedisDatabase): void {
  const session = database.open();
  let waiting: Buffer = Buffer.alloc(0);
  socket.on("data", (piece) => {
    waiting = Buffer.concat([waiting, piece]);
    for (;;) {
      const read = readCommand(waiting);
      if (read.is === "partial") {
        if (waiting.length > 2 * wordBytesMax) socket.destroy();
        return;
      }
      if (read.is === "broken") return void socket.end(`-ERR Protocol error: ${read.problem}\r\n`);
      waiting = read.rest;
      if (read.words.length === 0) continue;
      const answer = database.answer(read.words, session);
      if (answer === undefined) return void socket.end("+OK\r\n");
      socket.write(writeReply(answer));
    }
  });
}

/** What a probe by `redis-cli` comes to. A test for `PONG` fails without the password; the plain client is content with any answer. */
function runClient(
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
  if (password !== undefined) database.answer(["AUTH", password], session);
  if (!/\bping\b/i.test(text)) return { ok: session.isKnown, output: "", pauseMs: 0 };
  const output = session.isKnown ? "PONG\n" : "NOAUTH Authentication required.\n";
  return { ok: session.isKnown || !text.includes("PONG"), output, pauseMs: 0 };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function logTime(now: number): string {
  const time = new Date(now);
  const day = String(time.getUTCDate()).padStart(2, "0");
  return `${day} ${months[time.getUTCMonth()] ?? ""} ${time.getUTCFullYear()} ${time.toISOString().slice(11, 23)}`;
}

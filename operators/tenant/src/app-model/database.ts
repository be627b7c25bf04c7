import type { Clock, Random } from "@homeostat/core";
import type { Reply } from "./resp.ts";
import { hashOf, type RedisSettings } from "./settings.ts";

/** State of one client connection. */
export interface RedisSession {
  isAuthenticated: boolean;
  name: string;
  readonly id: number;
}

const ok: Reply = { word: "OK" };
const notANumber: Reply = { error: "ERR value is not an integer or out of range" };
/** Limit of stored keys. Beyond it, writes fail with the error of a Redis that is out of memory. */
const keysMax = 100_000;

/** The data of a simulated Redis, and the commands that operators and probes use. */
export class RedisDatabase {
  readonly #settings: RedisSettings;
  readonly #clock: Clock;
  readonly #values = new Map<string, { text: string; until: number }>();
  readonly #runId: string;
  readonly #startedAt: number;
  readonly #changed = new Map<string, string>();
  #commands = 0;
  #sessions = 0;

  constructor(settings: RedisSettings, { clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#settings = settings;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#runId = Array.from({ length: 40 }, () => random.int(16).toString(16)).join("");
  }

  /** Opens a connection. It is authenticated immediately if Redis has no password. */
  open(): RedisSession {
    this.#sessions += 1;
    return { isAuthenticated: this.#settings.passwordHashes.length === 0, name: "", id: this.#sessions };
  }

  /** Reports whether a password is accepted. */
  acceptsPassword(password: string): boolean {
    return this.#settings.passwordHashes.length === 0 || this.#settings.passwordHashes.includes(hashOf(password));
  }

  /** Executes a command and returns its reply; undefined for QUIT, which closes the connection. */
  execute([word = "", ...args]: readonly string[], session: RedisSession): Reply | undefined {
    const name = word.toUpperCase();
    this.#commands += 1;
    if (name === "QUIT") return undefined;
    if (name === "AUTH") return this.#authenticate(args, session);
    if (name === "HELLO") return this.#hello(args, session);
    if (!session.isAuthenticated) return { error: "NOAUTH Authentication required." };
    // Compared with undefined, not by `??`: null is a valid reply (nil).
    const replies = [this.#server(name, args, session), this.#data(name, args), unknownCommand(word, args)];
    return replies.find((reply) => reply !== undefined);
  }

  #authenticate(args: readonly string[], session: RedisSession): Reply {
    const [user = "default", password = ""] = args.length > 1 ? args : ["default", args[0]];
    if (args.length === 0 || args.length > 2) return wrongNumber("auth");
    if (this.#settings.passwordHashes.length === 0 && args.length === 1)
      return {
        error:
          "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
      };
    if (user !== "default" || !this.acceptsPassword(password))
      return { error: "WRONGPASS invalid username-password pair or user is disabled." };
    session.isAuthenticated = true;
    return ok;
  }

  #hello(args: readonly string[], session: RedisSession): Reply {
    const [version = "2", ...rest] = args;
    if (version !== "2") return { error: "NOPROTO unsupported protocol version" };
    const at = rest.findIndex((word) => word.toUpperCase() === "AUTH");
    if (at >= 0) {
      const reply = this.#authenticate(rest.slice(at + 1, at + 3), session);
      if (reply !== ok) return reply;
    }
    if (!session.isAuthenticated)
      return {
        error:
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time",
      };
    return [
      "server",
      "redis",
      "version",
      redisVersion,
      "proto",
      2,
      "id",
      session.id,
      "mode",
      "standalone",
      "role",
      "master",
      "modules",
      [],
    ];
  }

  #server(name: string, args: readonly string[], session: RedisSession): Reply | undefined {
    const [first = ""] = args;
    switch (name) {
      case "PING":
        return args.length === 0 ? { word: "PONG" } : args.length === 1 ? first : wrongNumber("ping");
      case "ECHO":
        return args.length === 1 ? first : wrongNumber("echo");
      case "SELECT":
        return /^(?:\d|1[0-5])$/.test(first) ? ok : { error: "ERR DB index is out of range" };
      case "INFO":
        return this.#info(first.toLowerCase());
      case "CONFIG":
        return this.#config(args);
      case "CLIENT":
        if (first.toUpperCase() === "ID") return session.id;
        if (first.toUpperCase() === "GETNAME") return session.name;
        if (first.toUpperCase() === "SETNAME") session.name = args[1] ?? "";
        return ok;
      case "ACL":
        return first.toUpperCase() === "WHOAMI" ? "default" : ok;
      case "COMMAND":
        return first.toUpperCase() === "COUNT" ? 0 : [];
      case "ROLE":
        return ["master", 0, []];
      case "TIME": {
        const now = this.#clock.now();
        return [String(Math.floor(now / 1_000)), String(Math.floor(now % 1_000) * 1_000)];
      }
      case "BGSAVE":
        return { word: "Background saving started" };
      case "LASTSAVE":
        return Math.floor(this.#clock.now() / 1_000);
      case "SAVE":
      case "REPLICAOF":
      case "SLAVEOF":
      case "WAIT":
        return ok;
      default:
        return undefined;
    }
  }

  #data(name: string, args: readonly string[]): Reply | undefined {
    const [key = "", value = ""] = args;
    switch (name) {
      case "GET":
        return args.length === 1 ? this.#read(key) : wrongNumber("get");
      case "SET":
        return args.length < 2 ? wrongNumber("set") : this.#set(key, value, args.slice(2));
      case "MGET":
        return args.map((one) => this.#read(one));
      case "DEL":
      case "UNLINK":
        return args.filter((one) => this.#read(one) !== null && this.#values.delete(one)).length;
      case "EXISTS":
        return args.filter((one) => this.#read(one) !== null).length;
      case "INCR":
        return this.#add(key, 1);
      case "DECR":
        return this.#add(key, -1);
      case "INCRBY":
        return /^-?\d{1,15}$/.test(value) ? this.#add(key, Number(value)) : notANumber;
      case "EXPIRE":
        return this.#expire(key, Number(value) * 1_000);
      case "TTL": {
        if (this.#read(key) === null) return -2;
        const until = this.#values.get(key)?.until ?? Infinity;
        return until === Infinity ? -1 : Math.ceil((until - this.#clock.monotonic()) / 1_000);
      }
      case "TYPE":
        return { word: this.#read(key) === null ? "none" : "string" };
      case "KEYS":
        return [...this.#values.keys()].filter(
          (one) => key === "*" || one === key || (key.endsWith("*") && one.startsWith(key.slice(0, -1))),
        );
      case "DBSIZE":
        return this.#values.size;
      case "FLUSHALL":
      case "FLUSHDB":
        this.#values.clear();
        return ok;
      default:
        return undefined;
    }
  }

  #read(key: string): string | null {
    const found = this.#values.get(key);
    if (found === undefined) return null;
    if (found.until > this.#clock.monotonic()) return found.text;
    this.#values.delete(key);
    return null;
  }

  #set(key: string, text: string, flags: readonly string[]): Reply {
    const words = flags.map((word) => word.toUpperCase());
    const exists = this.#read(key) !== null;
    if ((words.includes("NX") && exists) || (words.includes("XX") && !exists)) return null;
    if (!exists && this.#values.size >= keysMax)
      return { error: "OOM command not allowed when used memory > 'maxmemory'." };
    const seconds = flags[words.indexOf("EX") + 1];
    const millis = flags[words.indexOf("PX") + 1];
    const lifeMs = words.includes("EX") ? Number(seconds) * 1_000 : words.includes("PX") ? Number(millis) : Infinity;
    if (Number.isNaN(lifeMs)) return notANumber;
    this.#values.set(key, { text, until: this.#clock.monotonic() + lifeMs });
    return ok;
  }

  #add(key: string, amount: number): Reply {
    const text = this.#read(key) ?? "0";
    if (!/^-?\d{1,15}$/.test(text)) return notANumber;
    const sum = Number(text) + amount;
    this.#values.set(key, { text: String(sum), until: this.#values.get(key)?.until ?? Infinity });
    return sum;
  }

  #expire(key: string, ms: number): Reply {
    if (Number.isNaN(ms)) return notANumber;
    const found = this.#values.get(key);
    if (found === undefined || this.#read(key) === null) return 0;
    found.until = this.#clock.monotonic() + ms;
    return 1;
  }

  #config(args: readonly string[]): Reply {
    const [word = "", name = "", value = ""] = args;
    switch (word.toUpperCase()) {
      case "GET": {
        const known = new Map([
          ["maxmemory", "0"],
          ["appendonly", "no"],
          ["save", "3600 1 300 100 60 10000"],
          ...this.#settings.directives,
          ...this.#changed,
        ]);
        return [...known].filter(([one]) => name === "*" || one === name.toLowerCase()).flat();
      }
      case "SET":
        if (this.#changed.size < 1_000) this.#changed.set(name.toLowerCase(), value);
        return ok;
      default:
        return ok;
    }
  }

  #info(section: string): string {
    const seconds = Math.floor((this.#clock.monotonic() - this.#startedAt) / 1_000);
    const bytes = 900_000 + this.#values.size * 100;
    const sections: readonly (readonly [name: string, lines: readonly string[]])[] = [
      [
        "Server",
        [
          `redis_version:${redisVersion}`,
          "redis_mode:standalone",
          "os:Linux",
          `run_id:${this.#runId}`,
          `tcp_port:${this.#settings.port}`,
          `uptime_in_seconds:${seconds}`,
        ],
      ],
      ["Clients", ["connected_clients:1", "blocked_clients:0"]],
      ["Memory", [`used_memory:${bytes}`, `maxmemory:${this.#settings.directives.get("maxmemory") ?? "0"}`]],
      ["Persistence", ["loading:0", "rdb_bgsave_in_progress:0", "rdb_last_bgsave_status:ok", "aof_enabled:0"]],
      ["Stats", [`total_connections_received:${this.#sessions}`, `total_commands_processed:${this.#commands}`]],
      ["Replication", ["role:master", "connected_slaves:0", "master_repl_offset:0"]],
      ["Keyspace", this.#values.size === 0 ? [] : [`db0:keys=${this.#values.size},expires=0,avg_ttl=0`]],
    ];
    const selected = sections.filter(
      ([name]) =>
        section === "" ||
        section === "all" ||
        section === "default" ||
        section === "everything" ||
        name.toLowerCase() === section,
    );
    return selected.map(([name, lines]) => [`# ${name}`, ...lines, ""].join("\r\n")).join("\r\n");
  }
}

/** The simulated Redis version. */
export const redisVersion = "7.4.2";

function wrongNumber(name: string): Reply {
  return { error: `ERR wrong number of arguments for '${name}' command` };
}

function unknownCommand(word: string, args: readonly string[]): Reply {
  const shown = args.map((arg) => `'${arg.slice(0, 128)}' `).join("");
  return {
    error: `ERR unknown command '${word.slice(0, 128)}', with args beginning with: ${shown}`.replaceAll(/[\r\n]/g, " "),
  };
}

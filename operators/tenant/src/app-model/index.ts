export { redisModel } from "./redis.ts";

export { locustModel } from "./locust.ts";

export { AgentPool } from "./agent-pool.ts";
export { awaitResponse, type ResponseListener } from "./await-response.ts";
export { HttpResponseError, type HttpResponseProblem } from "./errors.ts";
export { freePorts } from "./free-ports.ts";
export { type HttpRequest, type HttpResponse, type HttpTls, openHttp, sendHttp } from "./request.ts";

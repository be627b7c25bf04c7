/** Help text of the benchmark of proxies. */
export const proxyHelp = `npm run bench -- proxy [options]
  CPU time per request of the routing proxy, beside HAProxy and nginx if they are on the PATH.

  --requests=NUMBER   requests per round (default 20000)
  --rounds=NUMBER     rounds, in which all proxies take turns (default 5)
  --keys=NUMBER       routing keys of the table (default 1)
  --node=PATH         measure with this Node too`;

// Keeps the server to the loopback interface, on a free port that it does not reveal to the callers of its tools.
import net from "node:net";

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (_port, ...rest) {
  this.once("listening", () => console.error(`listens at http://127.0.0.1:${this.address().port}/mcp`));
  return listen.call(this, { port: 0, host: "127.0.0.1" }, ...rest);
};
await import("/opt/node_modules/@modelcontextprotocol/server-everything/dist/transports/streamableHttp.js");

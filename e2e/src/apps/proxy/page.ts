/** A page whose function `run` uses everything that a page can send: fetch, server-sent events and a WebSocket. */
export const page: string = `<!doctype html>
<title>loaded</title>
<script>
  const events = () =>
    new Promise((resolve, reject) => {
      const source = new EventSource("/events");
      const seen = [];
      source.onmessage = ({ data }) => {
        seen.push(data);
        if (seen.length < 3) return;
        source.close();
        resolve(seen);
      };
      source.onerror = () => reject(new Error("EventSource failed"));
    });
  const socket = () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket("ws://" + location.host + "/socket");
      const seen = [];
      socket.onopen = () => socket.send("one");
      socket.onmessage = ({ data }) => {
        seen.push(data);
        if (seen.length === 1) socket.send("two");
        else socket.close();
      };
      socket.onclose = ({ wasClean }) => resolve([...seen, wasClean ? "closed" : "broken"]);
      socket.onerror = () => reject(new Error("WebSocket failed"));
    });
  const posted = async () => (await fetch("/name", { method: "POST", body: "x".repeat(300000) })).json();
  const run = async () => JSON.stringify({ posted: await posted(), events: await events(), socket: await socket() });
</script>
`;

/** The connection to the server: one WebSocket that reconnects by itself, with growing pauses. */

/** @import { ClientMessage, ServerMessage } from "./types" */

/**
 * @param {{
 *   hello: () => ClientMessage,
 *   onMessage: (message: ServerMessage) => void,
 *   onState: (connected: boolean) => void,
 * }} handlers `hello` makes the first message of every connection
 */
export function createSocket({ hello, onMessage, onState }) {
  const address = new URL(`ws${location.search}`, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  /** @type {WebSocket | null} */
  let socket = null;
  let pause = 250;
  /** @type {number | undefined} */
  let timer;

  function connect() {
    clearTimeout(timer);
    socket = new WebSocket(address);
    socket.addEventListener("open", () => {
      pause = 250;
      socket?.send(JSON.stringify(hello()));
      onState(true);
    });
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") onMessage(JSON.parse(data));
    });
    socket.addEventListener("close", () => {
      socket = null;
      onState(false);
      timer = setTimeout(connect, pause);
      pause = Math.min(2 * pause, 5000);
    });
  }
  connect();
  // A tab that comes back, or a network that returns, need not wait for the pause.
  const retry = () => {
    if (!socket) connect();
  };
  addEventListener("online", retry);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && retry());

  return {
    /**
     * Sends a message; returns false while there is no connection.
     * @param {ClientMessage} message
     */
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
  };
}

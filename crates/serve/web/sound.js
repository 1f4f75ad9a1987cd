/** Sounds of moves, made by WebAudio; off unless the person turns them on. */

/** @import { Preferences, ServerMessage, SessionState } from "./types" */

/**
 * @param {Preferences} preferences
 */
export function createSounds(preferences) {
  /** @type {AudioContext | null} */
  let audio = null;

  /**
   * A short tone that fades.
   * @param {number} frequency
   * @param {number} seconds
   * @param {number} [delay]
   * @param {OscillatorType} [type]
   */
  function tone(frequency, seconds, delay = 0, type = "triangle") {
    audio ??= new AudioContext();
    const start = audio.currentTime + delay;
    const oscillator = audio.createOscillator();
    const gain = audio.createGain();
    oscillator.type = type;
    oscillator.frequency.setValueAtTime(frequency, start);
    oscillator.frequency.exponentialRampToValueAtTime(frequency * 0.6, start + seconds);
    gain.gain.setValueAtTime(0.25, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    oscillator.connect(gain).connect(audio.destination);
    oscillator.start(start);
    oscillator.stop(start + seconds);
  }

  /** @param {string} san */
  function move(san) {
    if (san.includes("x")) tone(220, 0.12, 0, "square");
    else tone(330, 0.08);
    if (/[+#]/.test(san)) tone(660, 0.15, 0.06);
  }

  return {
    /**
     * Called before the message changes the state.
     * @param {ServerMessage} message
     * @param {SessionState} state
     */
    onMessage(message, state) {
      if (!preferences.values.sound) return;
      if (message.type === "position" && message.node !== state.position?.node && message.document === state.position?.document) {
        const node = state.game?.nodes.find(({ id }) => id === message.node);
        if (node?.san) move(node.san);
      } else if (message.type === "play" && message.status === "over" && state.play?.status === "playing") {
        [392, 330, 262].forEach((frequency, index) => tone(frequency, 0.3, 0.15 * index));
      } else if (message.type === "paco" && message.turns.length > (state.paco?.turns.length ?? Infinity)) {
        tone(330, 0.08);
      }
    },
  };
}

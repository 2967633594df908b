/**
 * A short sound when it is the worker's turn, if they want one. A click on the box arms it: browsers ask for that.
 */

export class Sound {
  constructor(box, store) {
    this.box = box;
    box.checked = store.get("sound", false);
    box.addEventListener("change", () => {
      store.set("sound", box.checked);
      if (box.checked) this.play();
    });
    addEventListener("pointerdown", () => box.checked && this.#arm(), { once: true });
  }

  /** Play it, where the worker and the browser allow. */
  play() {
    if (!this.box.checked || !this.#arm()) return;
    const start = this.audio.currentTime;
    for (const [index, pitch] of [660, 880].entries()) {
      const tone = this.audio.createOscillator();
      const level = this.audio.createGain();
      tone.frequency.value = pitch;
      level.gain.setValueAtTime(0.12, start + index * 0.14);
      level.gain.exponentialRampToValueAtTime(0.001, start + index * 0.14 + 0.25);
      tone.connect(level).connect(this.audio.destination);
      tone.start(start + index * 0.14);
      tone.stop(start + index * 0.14 + 0.3);
    }
  }

  #arm() {
    try {
      this.audio ??= new AudioContext();
      this.audio.resume();
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * A short sound when the worker is waited for, if they want one. A click on a box arms it: browsers ask for that.
 */

export class Sound {
  /** @param boxes all say the same: one is in the waiting room, one in the dialog. */
  constructor(boxes, store) {
    this.boxes = boxes;
    this.isOn = store.get("sound", false);
    this.#show();
    for (const box of boxes) {
      box.addEventListener("change", () => {
        this.isOn = box.checked;
        store.set("sound", this.isOn);
        this.#show();
        if (this.isOn) this.play();
      });
    }
    addEventListener("pointerdown", () => this.isOn && this.#arm(), { once: true });
  }

  /** Play it, where the worker and the browser allow. */
  play() {
    if (!this.isOn || !this.#arm()) return;
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

  #show() {
    for (const box of this.boxes) box.checked = this.isOn;
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

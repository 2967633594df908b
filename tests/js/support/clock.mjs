/** A clock that tests move: timers run when their time has come, and promises in between are waited for. */

export class FakeClock {
  constructor() {
    this.time = 0;
    this.timers = new Map();
    this.last = 0;
    this.random = () => 1;
    this.visible = true;
  }

  now = () => this.time;

  isVisible = () => this.visible;

  after = (milliseconds, work) => {
    this.last += 1;
    this.timers.set(this.last, { at: this.time + milliseconds, work });
    return this.last;
  };

  cancel = (timer) => this.timers.delete(timer);

  /** Move on by milliseconds, running what is due in order. */
  async pass(milliseconds) {
    const until = this.time + milliseconds;
    await settled();
    for (;;) {
      const due = [...this.timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].work();
      await settled();
    }
    this.time = until;
  }
}

/** Let everything run that waits for a promise. */
export async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await null;
}

/**
 * What survives a reload? Small values in sessionStorage, which a marketplace's frame may not give us: then nothing does.
 *
 * Two workers may sit in two frames of one tab (the try-it page) and share it: names hold the page's path and the seat.
 */

export function openStore(storage, path, seat) {
  const prefix = `collector.${path}.${seat}.`;
  return {
    get(name, fallback) {
      try {
        const text = storage().getItem(prefix + name);
        return text === null ? fallback : JSON.parse(text);
      } catch {
        return fallback;
      }
    },
    set(name, value) {
      try {
        storage().setItem(prefix + name, JSON.stringify(value));
      } catch {
        // Refused or full: the page goes on without.
      }
    },
  };
}

/**
 * What does this page know of the dialog? A pure function of the snapshot held and the next frame.
 *
 * held = {snapshot, partner: {here, typing}, ended}; frames are those of chat/protocol.py.
 */

/** @returns what a page knows that holds only a snapshot. */
export function initial(snapshot) {
  return { snapshot, partner: { here: snapshot.partner_here, typing: false }, ended: null };
}

/** @returns {{held, missing}}: what is known after `frame`, and whether a version in between is missing. */
export function apply(held, frame) {
  switch (frame.type) {
    case "state":
      return { held: isOlder(frame.snapshot, held.snapshot) ? held : withSnapshot(held, frame.snapshot), missing: false };
    case "said":
      return withLine(held, frame);
    case "partner":
      return { held: { ...held, partner: { here: frame.here, typing: frame.here && frame.typing } }, missing: false };
    case "ended":
      return { held: { ...held, ended: { outcome: frame.outcome, finish: frame.finish } }, missing: false };
    default:
      return { held, missing: false };
  }
}

/** A later seat replaces an earlier one, whatever their versions; an end is never taken back. */
function isOlder(snapshot, known) {
  if (snapshot.seat !== known.seat) return snapshot.seat < known.seat;
  if (snapshot.phase === "ended") return false;
  return snapshot.version < known.version || known.phase === "ended";
}

function withSnapshot(held, snapshot) {
  const grown = snapshot.lines.length > held.snapshot.lines.length;
  const typing = snapshot.partner_here && held.partner.typing && !grown;
  return { ...held, snapshot, partner: { here: snapshot.partner_here, typing } };
}

function withLine(held, frame) {
  const known = held.snapshot;
  if (frame.version <= known.version) return { held, missing: false };
  if (frame.version !== known.version + 1) return { held, missing: true };
  const snapshot = {
    ...known,
    version: frame.version,
    lines: [...known.lines, frame.line],
    move: frame.move,
    round: frame.round,
  };
  const typing = held.partner.typing && Boolean(frame.line.key);
  return { held: { ...held, snapshot, partner: { ...held.partner, typing } }, missing: false };
}

/** The invitation, opened again, shows the way back to the page of a task that has begun, of whichever kind. */

export function rememberWayBack({ slug, participant }) {
  try {
    const name = participant.startsWith("anon-") ? "" : participant;
    localStorage.setItem(`collector.join.${slug}.${name}`, location.pathname.match(/^\/w\/[^/]+\//)[0]);
  } catch {
    // Storage is refused: the personal link on the page does the same.
  }
}

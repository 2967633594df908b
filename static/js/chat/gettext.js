/**
 * What does a page's module say in the study's language? Sentences by their English, as the server put them into the
 * page; English where there is none. `{name}` in a sentence stands for a value.
 */

const words = globalThis.document?.getElementById("words");
const { catalog, plural } = words ? JSON.parse(words.textContent) : { catalog: {}, plural: "" };

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function gettext(sentence, values = {}) {
  return fill(catalog[sentence] ?? sentence, values);
}

/** @returns the form that goes with `number`, which stands in it as {number}; `plural` has the form for 0 to 199. */
export function ngettext(one, more, number, values = {}) {
  const forms = catalog[one];
  const form = plural[number < 200 ? number : 100 + (number % 100)];
  const sentence = forms ? forms[form] : number === 1 ? one : more;
  return fill(sentence, { number, ...values });
}

/** @returns US dollars as the page's language writes them. */
export function dollars(amount) {
  const language = globalThis.document?.documentElement.lang || "en";
  return new Intl.NumberFormat(language, { style: "currency", currency: "USD" }).format(amount);
}

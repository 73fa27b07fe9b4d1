// What a model said: headlines, bars, marked texts, lists. Every text from outside goes into the page as a text node or an
// attribute, never as markup.

function make(tag, facts = {}, ...inside) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || value === null || value === false) continue
    if (name === "class") node.className = value
    else if (name === "style") Object.entries(value).forEach(([key, told]) => node.style.setProperty(key, told))
    else node.setAttribute(name, value === true ? "" : value)
  }
  node.append(...inside.filter((one) => one !== undefined && one !== null && one !== ""))
  return node
}

const blocks = {
  headline({ text, quiet, beside }) {
    return make("p", { class: quiet ? "headline quiet" : "headline", dir: "auto" }, text,
      beside && make("span", { class: "beside" }, beside))
  },
  note({ text, warning }) {
    return make("p", { class: warning ? "note warning" : "note" }, text)
  },
  // A form keeps its fields in the browser until it is sent, so the browser sees an edit first.
  edited({ text, fields }) {
    const note = make("p", { class: "note warning", role: "status", hidden: true }, text)
    const check = () => {
      if (!note.isConnected) return document.removeEventListener("input", check)
      note.hidden = fields.every(([key, asked]) => {
        const field = document.querySelector(`.st-key-${key} :is(input, textarea)`)
        return !field || field.value === asked.replaceAll("\r\n", "\n")
      })
    }
    document.addEventListener("input", check)
    setTimeout(check, 500) // by then the fields are drawn
    return note
  },
  bars({ label, rows }) {
    const bar = (row) => make("div", { class: row.strong ? "row strong" : "row", role: "listitem" },
      make("span", { class: "name", dir: "auto" }, row.label),
      make("span", { class: "track", "aria-hidden": "true" },
        make("span", { class: "fill", style: { width: `${(100 * row.share).toFixed(2)}%` } })),
      make("span", { class: "value" }, row.value))
    return make("div", { class: "bars", role: "list", "aria-label": label }, ...rows.map(bar))
  },
  text({ label, named, pieces }) {
    const piece = ({ t, mark, strength, title }) => mark
      ? make("mark", { class: mark, title, style: { "--strength": strength ?? 1 } }, t)
      : document.createTextNode(t)
    const text = make("div", { class: "text", role: "region", "aria-label": label, tabindex: 0, dir: "auto" },
      make("span", { class: "apart" }, `${label}: `), ...pieces.map(piece))
    return named ? make("div", {}, make("p", { class: "label", "aria-hidden": "true" }, label), text) : text
  },
  list({ label, rows }) {
    const row = (one) => make("li", {}, make("span", { class: "value" }, one.value),
      make("span", { class: "where", dir: "auto" }, one.before, make("b", {}, one.t), one.after),
      one.beside && make("span", { class: "side" }, one.beside))
    return make("div", { class: "list" }, make("p", { class: "label" }, label), make("ol", {}, ...rows.map(row)))
  },
  effects({ label, rows }) {
    const row = (one) => make("li", { class: "effect", title: one.title },
      make("span", { class: "where", dir: "auto" }, one.before, make("b", {}, one.t), one.after),
      make("span", { class: "change" }, one.value, one.turns && make("mark", { class: "turns" }, one.turns)))
    return make("div", { class: "list" }, make("p", { class: "label" }, label), make("ol", {}, ...rows.map(row)))
  },
  legend({ rows }) {
    const row = (one) => make("li", { class: "sign" },
      make("mark", { class: one.mark, style: { "--strength": 0.6 }, "aria-hidden": "true" }, one.t),
      make("span", {}, one.label))
    return make("ul", { class: "legend" }, ...rows.map(row))
  },
}

export default function (component) {
  const { data, parentElement } = component
  const root = parentElement.querySelector("#reply")
  root.replaceChildren(...data.blocks.map((block) => blocks[block.type](block)))
}

// A row as the board would show it, between those that would stand above and below it. Every text goes into the page as a
// text node or an attribute, never as markup.

const SVG = "http://www.w3.org/2000/svg"

function make(tag, facts = {}, ...inside) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || value === null || value === false || value === "") continue
    if (name === "class") node.className = value
    else node.setAttribute(name, value)
  }
  node.append(...inside.filter((one) => one !== undefined && one !== null && one !== ""))
  return node
}

function draw(tag, facts, ...inside) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(facts)) node.setAttribute(name, value)
  node.append(...inside)
  return node
}

function mark(shape, colour) {
  const facts = { fill: shape === "circle-open" ? "none" : colour, stroke: colour, "stroke-width": 1.6 }
  const drawn = shape === "diamond" ? draw("path", { ...facts, d: "M6 1.2 10.8 6 6 10.8 1.2 6Z" })
    : draw("circle", { ...facts, cx: 6, cy: 6, r: 4 })
  return draw("svg", { width: 12, height: 12, viewBox: "0 0 12 12", class: "mark", "aria-hidden": "true" }, drawn)
}

function interval([low, middle, high]) {
  const wide = 104, pad = 5
  const at = (share) => (pad + (share / 1000) * (wide - 2 * pad)).toFixed(1)
  return draw("svg", { width: wide, height: 14, viewBox: `0 0 ${wide} 14`, class: "interval", "aria-hidden": "true" },
    draw("line", { x1: pad, x2: wide - pad, y1: 7, y2: 7, class: "scale" }),
    draw("line", { x1: at(low), x2: at(high), y1: 7, y2: 7, class: "range" }),
    draw("circle", { cx: at(middle), cy: 7, r: 3.4, class: "dot" }))
}

function source(row, words) {
  return [row.source, row.verified ? make("span", { class: "tick", role: "img", "aria-label": words.verified }, " ✓") : ""]
}

function line(row, words) {
  const name = row.href ? make("a", { href: row.href, class: "cut", title: row.model }, row.model)
    : make("span", { class: "cut", title: row.model }, row.model)
  return make("tr", { class: row.mine ? "mine" : "" },
    make("td", { class: "rank" }, row.rank),
    make("th", { scope: "row" }, make("span", { class: "model" }, mark(row.shape, row.colour),
      make("span", { class: "named" }, name, row.family ? make("span", { class: "family" }, row.family) : "",
        make("span", { class: "from" }, ...source(row, words))))),
    make("td", { class: "score" }, make("span", { class: "figure" }, row.score), row.places ? interval(row.places) : "",
      make("span", { class: "ends" }, row.ends)),
    make("td", { class: "number" }, row.params || "–"),
    make("td", { class: "source" }, ...source(row, words)))
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector("#neighbours")
  const head = make("tr", {}, ...data.heads.map(([kind, label]) => make("th", { scope: "col", class: kind }, label)))
  root.replaceChildren(make("table", {}, make("caption", { class: "apart" }, data.caption), make("thead", {}, head),
    make("tbody", {}, ...data.rows.map((row) => line(row, data.words)))))
}

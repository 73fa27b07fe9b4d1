// The leaderboard's table. Every text from outside goes into the page as a text node or an attribute, never as markup.
// Written again from the data at every change; what the visitor did (selection, focus, place) is kept over that.

const SVG = "http://www.w3.org/2000/svg"
const MOST = 6 // runs that can be compared
const chosen = new Map() // by board: run id -> what is compared, the run or its mean over seeds; outlives sorting, pages, filters and other pages of the app
const visits = new Map() // by board: when the newest row came that this browser saw before this visit

function make(tag, facts = {}, ...inside) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || value === null || value === false) continue
    if (name === "class") node.className = value
    else node.setAttribute(name, value === true ? "" : value)
  }
  node.append(...inside.filter((one) => one !== undefined && one !== null && one !== ""))
  return node
}

function draw(tag, facts = {}, ...inside) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(facts)) node.setAttribute(name, value)
  node.append(...inside)
  return node
}

function picture(width, height, title, ...inside) {
  const told = title ? [draw("title")] : []
  if (title) told[0].textContent = title
  const facts = { width, height, viewBox: `0 0 ${width} ${height}`, class: "picture" }
  return draw("svg", { ...facts, ...(title ? { role: "img", "aria-label": title } : { "aria-hidden": "true" }) }, ...told,
    ...inside)
}

// The marks of the plots: the shape is where a row comes from, the colour its family.
function mark(shape, colour, title) {
  const facts = { fill: shape === "circle-open" ? "none" : colour, stroke: colour, "stroke-width": 1.6 }
  const drawn = shape === "diamond" ? draw("path", { ...facts, d: "M6 1.2 10.8 6 6 10.8 1.2 6Z" })
    : draw("circle", { ...facts, cx: 6, cy: 6, r: 4 })
  return picture(12, 12, title, drawn)
}

function steps(title) {
  const line = draw("path", { d: "M1.5 10.5V7h4V4h4V1.5", class: "steps" })
  return picture(12, 12, title, line)
}

function interval([low, middle, high], title) {
  const wide = 104, pad = 5
  const at = (share) => (pad + (share / 1000) * (wide - 2 * pad)).toFixed(1)
  return picture(wide, 14, title,
    draw("line", { x1: pad, x2: wide - pad, y1: 7, y2: 7, class: "scale" }),
    draw("line", { x1: at(low), x2: at(high), y1: 7, y2: 7, class: "range" }),
    draw("circle", { cx: at(middle), cy: 7, r: 3.4, class: "dot" }))
}

function dash(words, title) {
  return make("span", { class: "dash", title: title || words.missing }, "–")
}

const cells = {
  rank: ([told, title], words) => (told ? make("span", { title: title || undefined }, told) : dash(words, title)),
  score: ([told, places, title], words) =>
    told ? make("span", { class: "score" }, make("span", {}, told), interval(places, title)) : dash(words),
  number: ([told, short], words) =>
    !told ? dash(words) : short && short !== told
      ? make("span", { title: told }, make("span", { class: "long" }, told), make("span", { class: "short" }, short))
      : told,
  tick: ([told], words) => (told ? make("span", { class: "tick", role: "img", "aria-label": words.verified }, "✓") : ""),
  source: ([told, verified], words) => make("span", {}, told,
    verified ? make("span", { class: "tick", title: words.verified_help, role: "img", "aria-label": words.verified }, " ✓")
      : ""),
  text: ([told, href, title], words) => !told ? dash(words) : href
    ? make("a", { class: "cut cited", title: title || told, href, target: "_blank", rel: "noreferrer" }, told)
    : make("span", { class: "cut", title: title || told }, told),
}

// A visit lasts as long as its tab. Times of rows are compared with each other, never with the browser's clock.
function lastVisit(data) {
  const key = `featherboard.visit.${data.board}`
  const newest = data.arrivals.at(-1) ?? 0
  try {
    if (!visits.has(data.board)) {
      const before = sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? ""
      sessionStorage.setItem(key, before)
      visits.set(data.board, before === "" ? Infinity : Number(before))
    }
    localStorage.setItem(key, String(Math.max(newest, Number(localStorage.getItem(key)))))
  } catch {
    visits.set(data.board, Infinity) // a browser that keeps nothing for this site
  }
  return visits.get(data.board)
}

function news(data) {
  const count = data.arrivals.filter((time) => time > lastVisit(data)).length
  return count ? make("p", { class: "news", role: "status" }, data.words.news.replace("{n}", String(count))) : ""
}

function model(row, data) {
  const words = data.words
  const link = make("a", { href: row.href, title: row.name, class: "cut name", "data-focus": `name ${row.id}`,
    "data-run": row.id }, row.name)
  const more = row.seeds > 1 ? make("button", { type: "button", class: "more", "aria-expanded": String(row.open),
    "aria-label": row.open_label, title: row.open_label, "data-open": row.id, "data-focus": `open ${row.id}` },
    picture(10, 10, "", draw("path", { d: "M3 1.5 7 5 3 8.5", class: "steps" }))) : ""
  return make("span", { class: "model" }, row.sub ? "" : mark(row.shape, row.colour, row.from), link,
    row.arrived > lastVisit(data) ? make("span", { class: "new", title: words.new_help }, words.new) : "",
    row.pareto ? steps(words.pareto) : "", more,
    row.caveat ? make("span", { class: "caveat", role: "img", title: row.caveat, "aria-label": row.caveat }, "!") : "")
}

function others(row) {
  return row.others.length ? make("span", { class: "others", title: row.others[1] }, row.others[0]) : ""
}

function tags(row) {
  return row.tags.length ? make("span", { class: "tags" }, ...row.tags.map((told) => make("span", { class: "tag" }, told))) : ""
}

function head(column, data) {
  const button = make("button", { type: "button", "data-sort": column.key, "data-focus": `sort ${column.key}`,
    title: column.help, "aria-describedby": column.help ? `help-${column.key}` : undefined },
    make("span", {}, column.label), column.unit ? make("span", { class: "unit" }, column.unit) : "")
  if (column.sorted) {
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, column.sorted === "ascending" ? "↑" : "↓")
    if (data.keys > 1) arrow.append(make("sub", {}, String(column.place)))
    button.append(arrow)
    if (column.place > 1) button.append(make("span", { class: "apart" }, ` ${data.words.key} ${column.place}`))
  }
  const help = column.help ? make("span", { id: `help-${column.key}`, class: "apart", hidden: true }, column.help) : ""
  return make("th", { scope: "col", class: `${column.type} c-${column.key}`,
    "aria-sort": column.sorted ? (column.place === 1 ? column.sorted : "other") : undefined }, button, help)
}

function line(row, data) {
  const words = data.words
  const box = row.sub ? "" : make("input", { type: "checkbox", "aria-label": `${words.select} ${row.name}`,
    "data-choose": row.id, "data-focus": `box ${row.id}` })
  if (box) box.checked = selection(data).has(row.id)
  const made = [make("td", { class: "box" }, box)]
  data.columns.forEach((column, place) => {
    const told = row.cells[place]
    if (column.type === "model") made.push(make("th", { scope: "row", class: "model" }, model(row, data), others(row), tags(row)))
    else made.push(make("td", { class: `${column.type} c-${column.key}` },
      told === null ? "" : cells[column.type](told, words)))
  })
  return make("tr", { class: row.sub ? "sub" : undefined, "data-row": row.id }, ...made)
}

function table(data) {
  const top = make("tr", {}, make("td", { class: "box" }), ...data.columns.map((column) => head(column, data)))
  const drawn = make("table", {}, make("caption", { class: "apart" }, data.caption), make("thead", {}, top),
    make("tbody", {}, ...data.rows.map((row) => line(row, data))))
  return make("div", { class: "frame", tabindex: "0", role: "region", "aria-label": data.caption }, drawn)
}

function legend(data) {
  const item = (drawn, told) => make("span", { class: "item" }, drawn, told)
  return make("p", { class: "legend" },
    ...data.legend.map(([shape, told]) => item(mark(shape, "currentColor", ""), told)),
    item(make("span", { class: "tick", "aria-hidden": "true" }, "✓"), data.words.verified),
    data.rows.some((row) => row.caveat) ?
      item(make("span", { class: "caveat", "aria-hidden": "true" }, "!"), data.words.caveat) : "",
    data.rows.some((row) => row.pareto) ? item(steps(""), data.words.pareto_name) : "",
    make("span", { class: "item" }, data.words.hint))
}

function selection(data) {
  if (!chosen.has(data.board)) chosen.set(data.board, new Map())
  return chosen.get(data.board)
}

function bar(data) {
  const runs = [...selection(data).keys()], compared = [...selection(data).values()]
  if (!runs.length) return make("div", { class: "bar", role: "status" })
  const words = data.words
  const query = data.lang ? `&lang=${encodeURIComponent(data.lang)}` : ""
  const told = runs.length > MOST ? words.too_many : runs.length === 1 ? words.one_more : ""
  const compare = make("a", { class: "act", href: `compare?runs=${compared.map(encodeURIComponent).join(",")}${query}`,
    "data-compare": true }, words.compare.replace("{n}", String(runs.length)))
  const open = make("a", { class: "act", href: `run?run=${encodeURIComponent(runs[0])}${query}`, "data-run": runs[0] },
    words.open)
  const name = data.rows.find((row) => row.id === runs[0] && !row.sub)?.name
  const model = make("a", { class: "act", href: `model?name=${encodeURIComponent(name)}${query}`, "data-model": name },
    words.model)
  return make("div", { class: "bar shown", role: "status" },
    make("strong", {}, words.chosen.replace("{n}", String(runs.length))),
    runs.length > 1 && runs.length <= MOST ? compare : "", runs.length === 1 ? open : "",
    runs.length === 1 && name ? model : "",
    told ? make("span", { class: "told" }, told) : "",
    make("button", { type: "button", class: "act quiet", "data-clear": true }, words.clear))
}

// Where the table is wider than its place it scrolls sideways in a frame of its own; else its head sticks to the page.
function fit(root) {
  const frame = root.querySelector(".frame")
  if (!frame) return
  frame.classList.remove("wide")
  const wide = frame.querySelector("table").scrollWidth > root.clientWidth + 1
  frame.classList.toggle("wide", wide)
  if (wide) frame.setAttribute("tabindex", "0")
  else frame.removeAttribute("tabindex")
}

function isPlain(event) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector("#board")
  const before = root.querySelector(".frame")
  const place = before ? [before.scrollLeft, root.dataset.page === data.page ? before.scrollTop : 0] : [0, 0]
  const focused = (parentElement.activeElement || {}).dataset?.focus
  root.dataset.page = data.page
  root.replaceChildren(...[news(data), table(data), bar(data), legend(data)].filter((part) => part !== ""))
  fit(root)
  const frame = root.querySelector(".frame")
  ;[frame.scrollLeft, frame.scrollTop] = place
  if (focused) [...root.querySelectorAll("[data-focus]")].find((one) => one.dataset.focus === focused)?.focus()

  const redrawBar = () => root.querySelector(".bar").replaceWith(bar(data))
  root.onclick = (event) => {
    const hit = event.target.closest("[data-sort], [data-open], [data-run], [data-model], [data-compare], [data-clear]")
    if (!hit) return
    const { sort, open, run, model } = hit.dataset
    if (sort) setTriggerValue("sort", { key: sort, add: event.shiftKey })
    else if (open) setTriggerValue("expand", open)
    else if ("clear" in hit.dataset) {
      selection(data).clear()
      root.querySelectorAll("[data-choose]").forEach((box) => { box.checked = false })
      redrawBar()
      frame.querySelector("[data-choose]")?.focus()
    } else if (isPlain(event)) { // with a modifier the browser follows the address into a tab or window of its own
      event.preventDefault()
      setTriggerValue("visit", run ? { run } : model ? { model } : { runs: [...selection(data).values()] })
    }
  }
  root.onkeydown = (event) => { // a press of Enter says nothing of Shift to the click that comes of it in every browser
    const hit = event.target.closest?.("[data-sort]")
    if (hit && event.shiftKey && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault()
      setTriggerValue("sort", { key: hit.dataset.sort, add: true })
    }
  }
  root.onchange = (event) => {
    const id = event.target.dataset?.choose
    if (!id) return
    const row = data.rows.find((one) => one.id === id)
    if (event.target.checked) selection(data).set(id, row ? row.compared : id)
    else selection(data).delete(id)
    redrawBar()
  }
  const watch = new ResizeObserver(() => fit(root))
  watch.observe(root)
  root.unwatch?.()
  root.unwatch = () => watch.disconnect()
  return () => root.unwatch?.()
}

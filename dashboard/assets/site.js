// The published site, after sortable.js: addresses of the app, search in tables.

const parameters = new URLSearchParams(location.search)
for (const [name, targets] of Object.entries(pages || {})) {
  const value = parameters.get(name)
  const target = value && (targets[value] || targets[value.slice(0, 12)])
  if (target) location.replace(target)
}

const search = document.querySelector("input.search")
const budget = document.querySelector("select.budget")

function filter() {
  const words = search.value.toLowerCase().split(/\s+/)
  const limit = budget && budget.value ? Number(budget.value) : Infinity
  for (const table of document.querySelectorAll("main table.sortable")) {
    const size = [...table.tHead.rows[0].cells].findIndex((cell) => cell.classList.contains("size"))
    for (const row of table.tBodies[0].rows) {
      const text = row.cells[0].textContent.toLowerCase()
      const bytes = size < 0 ? "" : row.cells[size].dataset.value
      const fits = limit === Infinity || (bytes !== "" && Number(bytes) <= limit)
      row.hidden = !fits || !words.every((word) => text.includes(word))
    }
  }
}

for (const field of [search, budget]) if (field) field.oninput = filter

for (const code of document.querySelectorAll("[data-addresses]")) {
  for (const address of code.dataset.addresses.split(" ")) {
    code.textContent = code.textContent.replace(address, new URL(address, location).href)
  }
}

sortable(document)

// Markup that the server has escaped: tables whose heads sort, and links that open pages of the app in place.

export function sortable(root) {
  for (const table of root.querySelectorAll("table.sortable")) {
    table.tHead.onclick = (event) => {
      const button = event.target.closest("button")
      if (!button) return
      const cell = button.closest("th")
      const index = [...cell.parentElement.children].indexOf(cell)
      const first = cell.dataset.first || "descending"
      const order = cell.getAttribute("aria-sort") === first
        ? (first === "descending" ? "ascending" : "descending") : first
      table.tHead.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"))
      cell.setAttribute("aria-sort", order)
      const value = (row) => row.cells[index].dataset.value ?? row.cells[index].textContent
      const rows = [...table.tBodies[0].rows]
      rows.sort((a, b) => {
        const [left, right] = [value(a), value(b)]
        if (left === "" || right === "") return left === right ? 0 : left === "" ? 1 : -1 // what is missing is last
        const difference = cell.dataset.type === "text" ? left.localeCompare(right) : Number(left) - Number(right)
        return order === "ascending" ? difference : -difference
      })
      table.tBodies[0].append(...rows)
    }
  }
}

function isPlain(event) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector("#markup")
  if (root.dataset.html !== data.html) {
    root.innerHTML = data.html
    root.dataset.html = data.html
  }
  root.lang = data.lang
  sortable(root)
  root.onclick = (event) => {
    const link = event.target.closest("a[data-page]")
    if (!link || !isPlain(event)) return // with a modifier the browser follows the address by itself
    event.preventDefault()
    const query = Object.fromEntries(new URL(link.href, document.baseURI).searchParams)
    setTriggerValue("visit", { page: link.dataset.page, query })
  }
}

// Tables of the class sortable: a click on a head sorts their rows. Pages of the app and of the site share it.

function sortable(root) {
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


// The published site, after sortable.js: addresses of the app, search in tables.

const parameters = new URLSearchParams(location.search)
for (const [name, targets] of Object.entries(pages || {})) {
  const value = parameters.get(name)
  const target = value && (targets[value] || targets[value.slice(0, 12)])
  if (target) location.replace(target)
}

for (const field of document.querySelectorAll("input.search")) {
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/)
    for (const row of document.querySelectorAll("main tbody tr")) {
      const text = row.cells[0].textContent.toLowerCase()
      row.hidden = !words.every((word) => text.includes(word))
    }
  }
}

for (const code of document.querySelectorAll("[data-addresses]")) {
  for (const address of code.dataset.addresses.split(" ")) {
    code.textContent = code.textContent.replace(address, new URL(address, location).href)
  }
}

sortable(document)
